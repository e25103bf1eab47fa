package detect

import (
	"testing"

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
