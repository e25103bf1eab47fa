package detect

import (
	"testing"
	"unsafe"

	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// A memo is about a state. A collection that frees the state, so that its id comes
// to mean another history, must not leave the memo to speak for that.
func TestMemosOfFreedStates(t *testing.T) {
	j := newJudged(t)
	root := j.Engine.Root()
	a, b, c := j.Fork(root, 0), j.Fork(root, 0), j.Fork(root, 0)
	j.read(a, low, 1)
	j.read(b, low, 2)
	j.read(a, low, 1) // a knows the state that b made of its own
	before := j.state(low)
	j.Release(b, low+8) // b's thread knows nothing of its last strand
	j.read(b, low+16, 2)
	j.Forget(low, 64)
	j.Collect(true)
	for i := range uintptr(1 << 16) {
		addr := low + 64 + 8*i
		j.write(c, addr, uintptr(10+i))
		if j.state(addr) != before {
			continue
		}
		if j.read(a, addr, 1); len(j.races) != 1 {
			t.Fatalf("a parallel read and write of %#x: %d races, want 1", addr, len(j.races))
		}
		return
	}
}

// What one granule came to by three instructions another comes to without the history: its
// line is split and its cell gets a block on the way.
func TestBlocksWithoutTheHistory(t *testing.T) {
	j := newJudged(t)
	root := j.Engine.Root()
	write := func(granule, byte uintptr) (slow bool) {
		return j.access(root, shadow.Write, low+64*granule+byte, 1+byte)
	}
	for b := range uintptr(3) {
		write(0, b)
	}
	if !j.Detector.fences {
		t.Skip("no membarrier(2)")
	}
	for granule := uintptr(1); granule < 4; granule++ {
		for b := range uintptr(3) {
			if write(granule, b) {
				t.Errorf("the write of byte %d of granule %d came to the history", b, granule)
			}
		}
	}
	want := [3]shadow.State{j.state(low), j.state(low + 1), j.state(low + 2)}
	a, c := j.Fork(root, 0), j.Fork(root, 0)
	for granule := range uintptr(4) {
		for b := range uintptr(3) {
			addr := low + 64*granule + b
			if got := j.state(addr); got != want[b] {
				t.Errorf("byte %d of granule %d is in state %d, want %d", b, granule, got, want[b])
			}
			j.races = nil
			j.read(a, addr, 9)
			if j.write(c, addr, addr); len(j.races) != 1 { // elsewhere it would be counted only
				t.Errorf("byte %d of granule %d: %d races, want that with the read", b, granule, len(j.races))
			}
		}
	}
}

func (j *judged) read(t reach.Task, addr, pc uintptr)  { j.access(t, shadow.Read, addr, pc) }
func (j *judged) write(t reach.Task, addr, pc uintptr) { j.access(t, shadow.Write, addr, pc) }

// What is counted for the bytes of a range that race is not for those that do not, though
// the readers of the first are an audience, of which no transition is remembered.
func TestCountsOfRanges(t *testing.T) {
	j := newJudged(t).eager()
	root := j.Engine.Root()
	writes := func(task reach.Task, addr, size, pc uintptr) {
		p := j.proc(task)
		j.Enter(p)
		j.Access(p, task, addr, size, pc, placed(shadow.Write, pc))
		j.Leave(p)
	}
	writes(root, low, 8, 1)
	writes(root, low+8, 24, 2) // which splits the line
	a, b, c := j.Fork(root, 0), j.Fork(root, 0), j.Fork(root, 0)
	j.read(a, low, 3)
	j.read(b, low, 3)
	writes(c, low, 16, 4)
	j.write(c, low+24, 4)
	if len(j.races) != 2 || *j.count != 2 {
		t.Errorf("%d races, counted %d times, want 2", len(j.races), *j.count)
	}
}

// What a strand is in audiences may be another's after a collection, so none remembers it
// beyond one; nor is it that of the strand before, which the same thread had.
func TestSeatsOfFreedReaders(t *testing.T) {
	j := newJudged(t).eager()
	root := j.Engine.Root()
	place := func(n int) uintptr { return low + 64*uintptr(n) }
	const places = 7
	for n := range places {
		j.write(root, place(n), 1)
		j.write(root, place(n)+4, 2) // which splits the line
	}
	a, b, c, d := j.Fork(root, 0), j.Fork(root, 0), j.Fork(root, 0), j.Fork(root, 0)
	if j.proc(a) != j.proc(d) || j.proc(a) == j.proc(b) {
		t.Fatal("a and d alone are to share a thread")
	}
	for n := range places {
		j.read(c, place(n), 3)
	}
	j.read(a, place(0), 4)
	j.read(a, place(1), 5)
	j.Forget(low, 128)
	j.Collect(true)
	j.read(d, place(6), 7) // whose thread knows nothing of a's reads any more
	j.Collect(true)
	j.read(b, place(2), 6) // b is now what a was at 4
	j.read(d, place(3), 7)
	j.read(d, place(4), 7)
	j.read(d, place(5), 9)
	j.read(a, place(3), 5) // a comes to know of d
	j.read(a, place(4), 4)
	j.read(a, place(5), 9)
	for n := 4; n <= 5; n++ {
		j.races = nil
		if j.write(b, place(n), 8); len(j.races) != 3 {
			t.Errorf("the write of place %d races with %d readers of 3", n, len(j.races))
		}
	}
}

// Transitions that share their places are remembered, as many as there are places; those of
// another strand make room first.
func TestMovesOfOnePlace(t *testing.T) {
	p := new(Proc)
	learn := func(s reach.Strand, at uintptr) {
		*p.newMove(s, 0, at) = move{strand: s, at: at, Move: shadow.Move{After: shadow.State(at)}}
	}
	var ats []uintptr
	for at := uintptr(1); len(ats) < moveWays; at++ {
		if moveIndex(0, at)/moveWays == 5 {
			ats = append(ats, at)
		}
	}
	for _, s := range []reach.Strand{1 << 32, 2 << 32} {
		for _, at := range ats {
			learn(s, at)
		}
		for i, at := range ats {
			if m := p.move(s, 0, at); m == nil || m.After != shadow.State(at) {
				t.Errorf("number %d of %d of strand %#x: %+v", i, moveWays, s, m)
			}
		}
	}
	if p.move(1<<32, 0, ats[0]) != nil {
		t.Error("what one strand did is known of another")
	}
}

// Who synchronises with each step and comes back to bytes with journals is not sent to the history for
// that, unless it holds a lock, came by another call path, or nothing may be remembered of accesses.
func TestJournalsWithoutTheHistory(t *testing.T) {
	j := newJudged(t).eager()
	if !j.Detector.fences {
		t.Skip("no membarrier(2)")
	}
	root := j.Engine.Root()
	j.write(root, low, 1)
	j.write(root, low+4, 2) // which splits the line
	a := j.Fork(root, 0)
	next := func(kind shadow.Op) (slow bool) {
		j.Release(a, low+1024)
		return j.access(a, kind, low, 3+uintptr(kind))
	}
	for range 4 {
		next(shadow.Read)
		next(shadow.Write)
	}
	if !shadow.IsJournal(j.state(low)) {
		t.Fatal("there is no journal")
	}
	for range 4 {
		if next(shadow.Read) || next(shadow.Write) {
			t.Error("an access like the ones before came to the history")
		}
	}
	if j.access(a, shadow.Read, low, 5) || j.access(a, shadow.Write, low, 5) {
		t.Error("what the strand did a moment ago came to the history")
	}
	j.Hold(a, low+2048, true)
	if !next(shadow.Read) {
		t.Error("under a lock nobody asked the history")
	}
	j.Drop(a, low+2048, true)
	next(shadow.Read)
	p, l := j.proc(a), j.Local(a)
	base := uintptr(unsafe.Pointer(&frame))
	for context, want := range map[uint32]Path{8: Slow, 7: Done} {
		j.Release(a, low+1024)
		p.remember(l, &Stack{Lo: base, Hi: base + 64}, base, context)
		if got := InJournal(p, l, low, AccessAt(4, 0), base); got != want {
			t.Errorf("by call path %d: %d, want %d", context, got, want)
		}
	}
	other := uintptr(6)
	for p.spot(other) != p.spot(4) {
		other++
	}
	j.Release(a, low+1024)
	if got := InJournal(p, l, low, other, base); got != Slow {
		t.Errorf("at another instruction: %d", got)
	}
	l.Enters(1)
	if got := InJournal(p, l, low, AccessAt(4, 0), base); got != Stale {
		t.Errorf("by a path that is not known: %d", got)
	}
	if j.read(j.Fork(root, 0), low, 4); len(j.races) == 0 {
		t.Error("the writes of a are forgotten")
	}
}

// Of accesses that are not to be remembered for what is to come, and of those of which no frame can be told from
// the next, nothing is known when somebody comes back to a journal.
func TestJournalsOfUncountedFrames(t *testing.T) {
	for _, set := range []func(d *Detector, p *Proc){
		func(d *Detector, _ *Proc) { d.NoMoves = true },
		func(_ *Detector, p *Proc) { p.Uncounted = true },
	} {
		j := newJudged(t).eager()
		root := j.Engine.Root()
		j.write(root, low, 1)
		j.write(root, low+4, 2)
		a := j.Fork(root, 0)
		set(&j.Detector, j.proc(a))
		for range 6 {
			j.Release(a, low+1024)
			if !j.access(a, shadow.Read, low, 3) {
				t.Error("a read did not come to the history")
			}
		}
		if !shadow.IsJournal(j.state(low)) {
			t.Error("there is no journal")
		}
	}
}

// TestSpotMutants shows that the tests notice what is easily got wrong about what is remembered for journals.
func TestSpotMutants(t *testing.T) {
	mutants.Run(t, "^TestJournals(WithoutTheHistory|OfUncountedFrames)$", []mutants.Mutant{
		{Name: "locks do not matter", File: "shortcut.go",
			Old: "e.at != at || l.Locks != 0 ||", New: "e.at != at ||"},
		{Name: "any call path will do", File: "shortcut.go",
			Old: "	case e.context != context:", New: "	case false:"},
		{Name: "any instruction will do", File: "shortcut.go",
			Old: "if e.at != at || l.Locks", New: "if l.Locks"},
		{Name: "a call path of old will do", File: "shortcut.go",
			Old: "	case !fresh:\n		return Stale\n	case e.", New: "	case context == 0 && !fresh:\n		return Stale\n	case e."},
		{Name: "traces lack who comes back", File: "detect.go",
			Old: "!a.Op.Atomic() && !d.NoMoves &&", New: "!a.Op.Atomic() &&"},
		{Name: "a frame is taken for the next", File: "detect.go",
			Old: "!d.NoMoves && !p.Uncounted {\n		*p.spot", New: "!d.NoMoves {\n		*p.spot"},
	})
}
