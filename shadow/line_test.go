package shadow

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/detrace/detrace/dag"
)

// isRun reports whether bytes are some from a first on by steps of 1, 2, 4 or 8.
func isRun(bytes uint64) bool {
	for step := 1; step <= 8; step *= 2 {
		run := uint64(0)
		for at := bits.TrailingZeros64(bytes); at < 64; at += step {
			if run |= 1 << at; run == bytes {
				return true
			}
		}
	}
	return bytes == 0
}

// randomBytes is often a run, and often nearly one.
func randomBytes(r *rand.Rand) uint64 {
	bytes := uint64(0)
	for at, step := r.IntN(64), 1<<r.IntN(4); at < 64 && r.IntN(12) != 0; at += step {
		bytes |= 1 << at
	}
	if r.IntN(3) == 0 {
		bytes ^= 1 << r.IntN(64)
	}
	return bytes
}

func TestLineIsItsBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	var g group
	for range 100_000 {
		bytes, s, context := randomBytes(r), State(1+r.IntN(MaxStates-1)), uint32(r.IntN(lineContexts))
		l, ok := newLine(bytes, s, context)
		if ok != isRun(bytes) {
			t.Fatalf("%#x: a run is %v", bytes, ok)
		}
		if !ok {
			continue
		}
		if l.bytes() != bytes || bytes != 0 && (l.state() != s || l.context() != context) || l.IsSplit() {
			t.Fatalf("%#x in state %d, context %d: %#x", bytes, s, context, l)
		}
		g = group{}
		g.fill(l.bytes(), l.state(), l.context())
		for at := range uintptr(64) {
			want := State(0)
			if bytes>>at&1 != 0 {
				want = s
			}
			c := g[at/8]
			if l.At(low+at) != want || cell(c.states).state(at&7) != want || want != 0 && c.contexts[at/4%2] != context {
				t.Fatalf("%#x, byte %d: %d and %#x, want state %d", l, at, l.At(low+at), c, want)
			}
		}
	}
	if _, ok := newLine(1, 1, lineContexts); ok {
		t.Error("a context is too large, and fits")
	}
}

// What a thread does to a line at a glance is what the history does, and the usual
// cases of it are.
func TestTakeIsWith(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	taken := 0
	for range 300_000 {
		l, ok := newLine(randomBytes(r), State(1+r.IntN(2)), uint32(r.IntN(2)))
		at, s, context := uintptr(r.IntN(64)), State(1+r.IntN(2)), uint32(r.IntN(2))
		if !ok || l.At(at) == s {
			continue
		}
		got := l.take(low+at, s, context)
		want, ok := l.with(1<<at, s, context)
		if got == 0 && ok && bits.OnesCount64(l.bytes()) != 2 { // of which the other one is left
			t.Fatalf("%#x with byte %d in state %d, context %d: is split, could be %#x", l, at, s, context, want)
		}
		if got == 0 {
			continue
		}
		if taken++; !ok || got.bytes() != want.bytes() || got.state() != s || got.context() != context || got.IsSplit() {
			t.Fatalf("%#x with byte %d in state %d, context %d: %#x, want %#x", l, at, s, context, got, want)
		}
	}
	if taken < 1000 {
		t.Errorf("%d bytes were taken", taken)
	}
	if Line(0).take(low, 1, lineContexts) != 0 {
		t.Error("a context is too large, and fits")
	}
}

// twinMemory is the memory that the two histories of a twin are about.
const twinFirst, twinSize = low + 2*chunk, 4 * chunk

// cellsOnly splits every line of h, so that its cells alone count.
func (h *History) cellsOnly() {
	w := h.Window(twinFirst)
	for p := uintptr(twinFirst); p < twinFirst+twinSize; p += lineBytes {
		if l := w.Line(p); !l.IsSplit() {
			if l != 0 {
				panic("a line of a history of cells")
			}
			w.split(p, l)
		}
	}
}

// A history of lines remembers and tells what one of cells alone does: twins get the
// same accesses to elements, rows, ranges and boxes, and both forget and collect.
func TestLinesAreCells(t *testing.T) {
	whole, split, fast := 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 8))
		p := randomProgram(r, shape{strands: 6, density: 0.3, sites: 1, contexts: 1, spread: 1})
		a := &twins{lines: newRun(p, seed%2 == 0), cells: newRun(p, seed%2 == 0), acted: map[int]bool{}}
		a.cells.history.cellsOnly()
		for i := range 60 {
			if err := a.step(r); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, i, err)
			}
		}
		if err := a.compare(twinFirst, twinSize); err != nil {
			t.Fatalf("seed %d, in the end: %v", seed, err)
		}
		w := a.lines.history.Window(twinFirst)
		for _, word := range w.words(twinFirst-low, twinFirst-low+twinSize) {
			if Line(word).IsSplit() {
				split++
			} else if word != 0 {
				whole++
			}
		}
		fast += a.fast
		a.lines.history.close()
		a.cells.history.close()
	}
	if whole < 1000 || split < 1000 || fast < 1000 {
		t.Errorf("%d lines were split, %d not; %d accesses were fast", split, whole, fast)
	}
}

type twins struct {
	lines, cells *run
	acted        map[int]bool // strands
	fast         int
}

// strand is one that may make an access now.
func (a *twins) strand(r *rand.Rand) int {
	for {
		u, late := 1+r.IntN(6), false
		for v := range a.acted {
			late = late || a.lines.graph.Precedes(dag.Strand(u), dag.Strand(v))
		}
		if !late && !a.acted[u] {
			for _, t := range []*run{a.lines, a.cells} {
				t.since[u] = t.history.Now()
			}
		}
		if !late {
			a.acted[u] = true
			return u
		}
	}
}

// step does something to both and says what differs.
func (a *twins) step(r *rand.Rand) error {
	e := event{strand: a.strand(r), op: Op(1 + r.IntN(2)), site: uint32(1 + r.IntN(3)), context: uint32(1 + r.IntN(2)), size: 1}
	if r.IntN(40) == 0 {
		e.context = lineContexts + 7
	}
	e.addr = twinFirst + chunk - 128 + uintptr(r.IntN(256))
	switch r.IntN(12) {
	default: // a row of elements in turn
		step := uintptr(1) << r.IntN(4)
		e.addr &^= step - 1
		for range 1 + r.IntN(20) {
			if err := a.single(e); err != nil {
				return err
			}
			e.addr += step
		}
		return nil
	case 0, 1:
		b := randomBox(r).Normal()
		return a.both(e, b.Base, b.Last()+1-b.Base, func(t *run) { t.history.AccessBox(b, t.timed(e), t) })
	case 2:
		b := randomBox(r)
		n := b.Normal()
		var m Mask
		for i := range m {
			m[i] = r.Uint64() | r.Uint64()
		}
		return a.both(e, n.Base, n.Last()+1-n.Base, func(t *run) { t.history.AccessMasked(b, b.rounds(&m), t.timed(e), t) })
	case 3, 4:
		e.size = uintptr(r.IntN(300))
		return a.both(e, e.addr, e.size, func(t *run) { t.history.Access(e.addr, e.size, t.timed(e), t) })
	case 5:
		e.size = uintptr(r.IntN(20) * (1 + r.IntN(20)))
		return a.both(e, e.addr, e.size, func(t *run) {
			t.history.Forget(e.addr, e.size)
			if t == a.cells {
				t.history.cellsOnly()
			}
		})
	case 6:
		if err := a.lines.collect(); err != nil {
			return err
		}
		return a.cells.collect()
	}
}

// single makes an access to one byte, also what is told of it must have the same context,
// or one where the cell knew none.
func (a *twins) single(e event) error {
	if a.lines.access(e) {
		a.fast++
	}
	a.cells.access(e)
	if len(a.lines.told) != len(a.cells.told) {
		return fmt.Errorf("%v: races with %v, by cells with %v", e, a.lines.told, a.cells.told)
	}
	for i, got := range a.lines.told {
		want := a.cells.told[i]
		if want.Context == 0 || want.Context&Mixed != 0 {
			got.Context, want.Context = 0, 0
		}
		if got != want {
			return fmt.Errorf("%v: races with %v, by cells with %v", e, a.lines.told, a.cells.told)
		}
	}
	return a.compare(e.addr, 1)
}

func (a *twins) both(e event, addr, size uintptr, do func(*run)) error {
	var told [2]map[Access]bool
	for i, t := range []*run{a.lines, a.cells} {
		t.now, t.told = e, nil
		do(t)
		for j := range t.told {
			t.told[j].Context = 0
		}
		told[i] = set(t.told)
	}
	if !reflect.DeepEqual(told[0], told[1]) {
		return fmt.Errorf("%v: races with %v, by cells with %v", e, told[0], told[1])
	}
	return a.compare(addr, size)
}

// compare compares what is remembered.
func (a *twins) compare(addr, size uintptr) error {
	for b := max(addr, twinFirst); b < min(addr+size, twinFirst+twinSize); b++ {
		got, want := a.lines.remembered(b), a.cells.remembered(b)
		for i := range got {
			got[i].Context = 0
		}
		for i := range want {
			want[i].Context = 0
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("byte %#x: remembered is %v, by cells %v", b, got, want)
		}
	}
	return nil
}

// Threads that meet in lines, some by elements, some by rows and ranges, all are
// remembered of every byte, and of any two one is told of the other.
func TestConcurrentLines(t *testing.T) {
	const threads, rounds = 4, 3000
	h := new(History)
	h.Init(low, lowSize, high, highSize, 0)
	defer h.close()
	all := make([]*thread, threads)
	touched := make([][rounds]uint64, threads)
	var wg sync.WaitGroup
	for n := range all {
		th := &thread{History: h, number: n}
		all[n] = th
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(uint64(n), 9))
			moves := make(map[State]State)
			for i := range uintptr(rounds) {
				th.now, th.addr = Strand(th.number+1)<<48|Strand(i+1), low+lineBytes*i
				clear(moves)
				touched[n][i] = th.meet(r, low+lineBytes*i, moves)
			}
		}()
	}
	wg.Wait()
	for i := range uintptr(rounds) {
		for b := range uintptr(lineBytes) {
			want := map[Strand]bool{}
			for n := range all {
				if touched[n][i]>>b&1 != 0 {
					want[Strand(n+1)<<48|Strand(i+1)] = true
				}
			}
			got := map[Strand]bool{}
			for _, a := range h.remembered(low + lineBytes*i + b) {
				got[a.Strand] = true
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("line %d, byte %d: remembered are %v, want %v", i, b, got, want)
			}
		}
		for n := range all {
			for m := range n {
				one, two := Strand(n+1)<<48|Strand(i+1), Strand(m+1)<<48|Strand(i+1)
				told := all[n].told[low+lineBytes*i][two] || all[m].told[low+lineBytes*i][one]
				if met := touched[n][i]&touched[m][i] != 0; told != met {
					t.Fatalf("line %d: of threads %d and %d one is told of the other: %v, they met: %v", i, m, n, told, met)
				}
			}
		}
	}
}

// meet writes to bytes of the line at p in some way, and returns to which.
func (t *thread) meet(r *rand.Rand, p uintptr, moves map[State]State) uint64 {
	a := Access{Strand: t.now, Place: 1, Context: 1, Site: 1, Op: Write}
	switch r.IntN(4) {
	case 0:
		t.Access(p, lineBytes, a, t)
		return ^uint64(0)
	case 1:
		t.AccessBox(Box{p, [BoxDims]Dim{{8, 8}, {1, 0}, {1, 0}}}, &a, t)
		return steps[7]
	case 2:
		first := uintptr(r.IntN(60))
		t.Access(p+first, 4, a, t)
		return 0xf << first
	}
	step := uintptr(1) << r.IntN(4)
	for at := uintptr(0); at < lineBytes; at += step {
		t.writeFast(p+at, a, moves)
	}
	return steps[step-1]
}

// writeFast is the fast path of a judged program for a write of a byte.
func (t *thread) writeFast(addr uintptr, a Access, moves map[State]State) {
	w := t.Window(addr)
	c, v, before := t.look(w, addr)
	after := moves[before]
	m := Move{before, after, 1}
	switch {
	case after == 0:
	case c != nil && t.TryMove(c, v, addr, &m, 1):
		return
	case c == nil:
		if l := w.Line(addr); l.IsRun() && l.At(addr) == before && w.MoveInLine(l, addr, after, 1) {
			return
		}
	}
	out := t.Access(addr, 1, a, t)
	moves[out.Before] = out.After
}
