package callstack

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/detrace/detrace/internal/mutants"
)

// wordOfTens describes every tenth program counter; odd ones are in functions that are counted.
func wordOfTens(pc uintptr) (word uint32, counted bool) {
	if pc%10 == 0 {
		word = uint32(pc)
	}
	return word, pc%2 == 1
}

// firstOfTens says that all program counters of ten mean the same.
func firstOfTens(pc uintptr) uintptr { return pc - pc%10 }

func newTree(t testing.TB) *Tree {
	tree := new(Tree)
	tree.Init(wordOfTens, firstOfTens)
	t.Cleanup(func() {
		tree.nodes.Close()
		tree.buckets.Close()
		tree.many.Close()
		tree.places.Close()
	})
	return tree
}

// frames is the stack that id names, innermost frame first.
func (t *Tree) frames(id ID) []uintptr {
	var pcs []uintptr
	for id != 0 {
		var pc uintptr
		pc, id = t.Frame(id)
		pcs = append(pcs, pc)
	}
	return pcs
}

func (t *Tree) intern(w *Walk, innermostFirst ...uintptr) ID {
	w.Reset()
	for _, pc := range innermostFirst {
		w.Push(pc)
	}
	return w.Intern(t)
}

func TestEqualStacksHaveOneID(t *testing.T) {
	tree := newTree(t)
	ids := make(map[string]ID)
	stacks := make(map[ID]string)
	var w Walk
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		pcs := make([]uintptr, r.IntN(6))
		for i := range pcs {
			pcs[i] = uintptr(1 + r.IntN(4))
		}
		id := tree.intern(&w, pcs...)
		name := string(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(append(pcs, 0)))), 8*len(pcs)))
		if old, ok := ids[name]; ok && old != id {
			t.Fatalf("stack %v is %d and %d", pcs, old, id)
		}
		if old, ok := stacks[id]; ok && old != name {
			t.Fatalf("%d is stack %v and another", id, pcs)
		}
		ids[name], stacks[id] = id, name
		if got := tree.frames(id); !slices.Equal(got, pcs) {
			t.Fatalf("stack %v comes back as %v", pcs, got)
		}
		if int(tree.Len(id)) != len(pcs) {
			t.Fatalf("stack %v has length %d", pcs, tree.Len(id))
		}
	}
	if most := uint64(4+16+64+256+1024) * uint64(unsafe.Sizeof(node{})); tree.Bytes() > most {
		t.Errorf("%d bytes, all stacks there can be need %d", tree.Bytes(), most)
	}
}

// A stack has the word of the innermost frame that there is one for.
func TestWord(t *testing.T) {
	tree := newTree(t)
	var w Walk
	for _, c := range []struct {
		pcs  []uintptr
		want uint32
	}{
		{nil, 0}, {[]uintptr{3}, 0}, {[]uintptr{20}, 20}, {[]uintptr{3, 20}, 20}, {[]uintptr{3, 4, 20, 30}, 20}, {[]uintptr{30, 20}, 30},
	} {
		if got := tree.Word(tree.intern(&w, c.pcs...)); got != c.want {
			t.Errorf("stack %v has word %d, want %d", c.pcs, got, c.want)
		}
	}
}

// A stack is extended by frames that return into functions that are counted.
func TestExtend(t *testing.T) {
	tree := newTree(t)
	below := tree.Call(tree.Call(0, 1), 2)
	for _, c := range []struct {
		pc      uintptr
		counted bool
	}{{3, true}, {4, false}, {3, true}} {
		want := ID(0)
		if c.counted {
			want = tree.Call(below, c.pc)
		}
		if got := tree.Extend(below, c.pc); got != want {
			t.Errorf("the stack of %d below 2 1 is %d, want %d", c.pc, got, want)
		}
		if id := tree.Call(below, c.pc); tree.Counted(id) != c.counted || tree.Extends(id, below, c.pc) != c.counted {
			t.Errorf("frame %d is counted: %v, %v", c.pc, tree.Counted(id), tree.Extends(id, below, c.pc))
		}
	}
	id := tree.Call(below, 3)
	for _, wrong := range []struct {
		id, caller ID
		pc         uintptr
	}{{id, tree.Call(0, 1), 3}, {id, below, 5}, {0, below, 3}} {
		if tree.Extends(wrong.id, wrong.caller, wrong.pc) {
			t.Errorf("%+v", wrong)
		}
	}
	if tree.Len(id) != 3 {
		t.Errorf("a counted frame makes the length %d", tree.Len(id))
	}
}

// A deep stack keeps its innermost frames.
func TestDepth(t *testing.T) {
	tree := newTree(t)
	var w Walk
	var pcs []uintptr
	for i := range uintptr(Depth + 20) {
		pcs = append(pcs, 1+i)
		if more := w.Push(1 + i); more != (i+1 < Depth) {
			t.Fatalf("after %d frames there is room: %v", i+1, more)
		}
	}
	if got := tree.frames(w.Intern(tree)); !slices.Equal(got, pcs[:Depth]) {
		t.Errorf("got %v", got)
	}
}

// A walk looks up the frames in which a stack differs from the one before, and no
// others.
func TestWalkReusesCommonFrames(t *testing.T) {
	described := 0
	tree := newTree(t)
	tree.describe = func(uintptr) (uint32, bool) { described++; return 0, false }
	var w Walk
	outer := []uintptr{5, 6, 7, 8, 9}
	for i, inner := range [][]uintptr{{1}, {2}, {2, 3}, {}, {1, 2, 3, 4}} {
		stack := append(slices.Clone(inner), outer...)
		id := tree.intern(&w, stack...)
		if got := tree.frames(id); !slices.Equal(got, stack) {
			t.Errorf("stack %d: %v comes back as %v", i, stack, got)
		}
		var fresh Walk
		before := described
		if other := tree.intern(&fresh, stack...); other != id {
			t.Errorf("stack %d: %v is %d, by a walk of its own %d", i, stack, id, other)
		}
		if described != before {
			t.Errorf("stack %d: known frames were described again", i)
		}
	}
	if want := len(outer) + 4; described != want {
		t.Errorf("%d frames were described, want %d: each program counter once", described, want)
	}
}

// What was looked for last is what the buckets have: program counters with the same mark too.
func TestRecentFrames(t *testing.T) {
	tree := newTree(t)
	r := rand.New(rand.NewPCG(3, 3))
	ids := []ID{tree.Call(0, 1)}
	for range 20_000 {
		caller, pc := ids[r.IntN(len(ids))], uintptr(1+r.IntN(100))
		id := tree.Call(caller, pc)
		if want := tree.call(caller, pc); id != want {
			t.Fatalf("frame %d below %d is %d, want %d", pc, caller, id, want)
		}
		if len(ids) < 100 {
			ids = append(ids, id)
		}
	}
}

// TestRecentMutants shows that the tests notice a frame that is taken for another.
func TestRecentMutants(t *testing.T) {
	mutants.Run(t, "^TestRecentFrames$", []mutants.Mutant{
		{Name: "a mark says all", File: "callstack.go",
			Old: " && uintptr(t.nodes.At(uint32(id)).pc) == pc {", New: " {"},
	})
}

// The path to a frame just entered, of whose caller it is known: what a recursion asks for.
func BenchmarkExtend(b *testing.B) {
	tree := newTree(b)
	ids := []ID{tree.Call(0, 1)}
	for n := 0; len(ids) < 1<<18; n++ {
		ids = append(ids, tree.Call(ids[n], 3), tree.Call(ids[n], 5))
	}
	r := rand.New(rand.NewPCG(4, 4))
	for b.Loop() {
		if caller := ids[r.IntN(1<<17)]; tree.Len(caller) < Depth {
			tree.Extend(caller, 3+2*uintptr(r.IntN(2)))
		}
	}
}

// A walk knows stacks of one frame without describing them again, also those whose places
// in its memory are the same.
func TestSingle(t *testing.T) {
	tree := newTree(t)
	var w Walk
	r := rand.New(rand.NewPCG(2, 2))
	for range 5000 {
		pc := uintptr(1 + r.IntN(4*singles))
		one := w.Single(tree, pc)
		if place := tree.Call(0, firstOfTens(pc)); one.Place != place || tree.Place(place) != place {
			t.Fatalf("the place of frame %d is %d, want %d", pc, one.Place, place)
		}
		if want := tree.Call(0, pc); one.Word != tree.Word(want) || one.Counted != tree.Counted(want) {
			t.Fatalf("the stack of frame %d is %+v, want %d with %d, counted %v", pc, one, want, tree.Word(want), tree.Counted(want))
		}
	}
}

// In a full tree stacks lose the frames that there is no room for; what was there
// stays.
func TestTreeFull(t *testing.T) {
	tree := newTree(t)
	var w Walk
	old := tree.intern(&w, 1, 2, 3)
	tree.count = maxNodes - spare - 1
	last := tree.Call(old, 4)
	if got := tree.frames(last); !slices.Equal(got, []uintptr{4, 1, 2, 3}) {
		t.Errorf("the last stack there is room for is %v", got)
	}
	for range 2 { // the walk remembers what it got
		if got := tree.frames(tree.intern(&w, 8, 7, 2, 3)); !slices.Equal(got, []uintptr{2, 3}) {
			t.Errorf("a stack that is only partly there is %v, want its outer frames", got)
		}
	}
	if got := tree.intern(&w, 1, 2, 3); got != old {
		t.Errorf("an old stack is %d, was %d", got, old)
	}
	if tree.intern(&w, 99) != 0 {
		t.Error("a new outermost frame got an id")
	}
}

// Threads that intern the same stacks at the same time agree on their ids.
func TestConcurrentIntern(t *testing.T) {
	const threads = 4
	tree := newTree(t)
	var ids [threads][]ID
	var wg sync.WaitGroup
	for n := range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var w Walk
			r := rand.New(rand.NewPCG(7, 7)) // the same stacks
			for range 5000 {
				w.Reset()
				for range r.IntN(8) {
					w.Push(uintptr(1 + r.IntN(20)))
				}
				id := w.Intern(tree)
				ids[n] = append(ids[n], id)
				tree.Word(id)
				tree.Len(id)
			}
		}()
	}
	wg.Wait()
	for n := 1; n < threads; n++ {
		if !slices.Equal(ids[n], ids[0]) {
			t.Errorf("threads 0 and %d got different ids", n)
		}
	}
}

// chain is a made-up stack: frames linked by their first word, as frame pointers
// do, with the return address beside it.
type chain [][2]uintptr

func newChain(pcs ...uintptr) chain {
	c := make(chain, len(pcs)+2) // two words of room behind the outermost
	for i, pc := range pcs {
		c[i] = [2]uintptr{uintptr(unsafe.Pointer(&c[i+1])), pc}
	}
	c[len(pcs)-1][0] = 0
	return c
}

func (c chain) bounds() (base, lo, hi uintptr) {
	return uintptr(unsafe.Pointer(&c[0])), uintptr(unsafe.Pointer(&c[0])), uintptr(unsafe.Pointer(&c[0])) + uintptr(len(c))*16
}

func TestMatches(t *testing.T) {
	tree := newTree(t)
	var w Walk
	id := tree.intern(&w, 1, 2, 3)
	for _, c := range []struct {
		pcs  []uintptr
		want bool
	}{
		{[]uintptr{1, 2, 3}, true},
		{[]uintptr{1, 2, 4}, false},
		{[]uintptr{5, 2, 3}, false},
		{[]uintptr{1, 2}, false},
		{[]uintptr{1, 2, 3, 4}, false},
		{[]uintptr{2, 3}, false},
	} {
		s := newChain(c.pcs...)
		base, lo, hi := s.bounds()
		if got := tree.Matches(id, base, lo, hi); got != c.want {
			t.Errorf("stack %v matches 1 2 3: %v", c.pcs, got)
		}
	}
	deep := make([]uintptr, Depth+5)
	for i := range deep {
		deep[i] = uintptr(i + 1)
	}
	id = tree.intern(&w, deep...)
	s := newChain(deep...)
	if base, lo, hi := s.bounds(); !tree.Matches(id, base, lo, hi) {
		t.Error("a stack deeper than is kept does not match what is kept of it")
	}
}

// What is climbed from frame to frame is the stack that is pushed return address by
// return address.
func TestClimb(t *testing.T) {
	tree := newTree(t)
	for _, depth := range []int{1, 3, Depth, Depth + 5} {
		pcs := make([]uintptr, depth)
		for i := range pcs {
			pcs[i] = uintptr(i + 1)
		}
		var pushed, climbed Walk
		want := tree.intern(&pushed, pcs...)
		s := newChain(pcs...)
		base, lo, hi := s.bounds()
		climbed.Climb(base, lo, hi)
		if got := climbed.Intern(tree); got != want {
			t.Errorf("%d frames: climbed %v, pushed %v", depth, tree.frames(got), tree.frames(want))
		}
		climbed.Reset()
		if climbed.Climb(hi, lo, hi); climbed.Intern(tree) != 0 {
			t.Errorf("%d frames: climbed from outside the stack", depth)
		}
	}
}

// Late frames are found again, beside early ones.
func TestManyStacks(t *testing.T) {
	tree := newTree(t)
	ids := make([]ID, 4*early)
	for i := range ids {
		ids[i] = tree.Call(ids[i/2], uintptr(i+1))
	}
	for i, id := range ids {
		if got := tree.Call(ids[i/2], uintptr(i+1)); i > 0 && got != id {
			t.Fatalf("frame %d is %d, was %d", i, got, id)
		}
	}
}

// What is remembered of a chain of frames is said of it while it is so: frames at one place
// return elsewhere now and then, the first, those above, or one more.
func TestChain(t *testing.T) {
	tree := newTree(t)
	r := rand.New(rand.NewPCG(3, 3))
	var w Walk
	for _, depth := range []int{1, 5, Depth, Depth + 5} {
		pcs := make([]uintptr, depth+1)
		for i := range pcs {
			pcs[i] = uintptr(1 + r.IntN(3))
		}
		all := newChain(pcs...)
		_, lo, _ := all.bounds()
		for range 2000 {
			n, at := r.IntN(min(depth, 4)), r.IntN(depth+1)
			all[at][1] = uintptr(1 + r.IntN(3))
			last := depth - r.IntN(2) // which frame is the outermost
			end := all[last][0]
			all[last][0] = 0
			base, hi := uintptr(unsafe.Pointer(&all[n])), lo+uintptr(len(all))*16
			var fresh Walk
			fresh.Climb(base, lo, hi)
			if got, want := w.Chain(tree, base, lo, hi), fresh.Intern(tree); got != want {
				t.Fatalf("the chain of %d frames from frame %d is %v, want %v", depth, n, tree.frames(got), tree.frames(want))
			}
			all[last][0] = end
		}
	}
	_, lo, hi := newChain(1).bounds()
	if id := w.Chain(tree, hi, lo, hi); id != 0 {
		t.Errorf("a frame outside of the stack is %d", id)
	}
}

func BenchmarkIntern(b *testing.B) {
	tree := newTree(b)
	for _, c := range []struct {
		name string
		new  int
	}{{"same", 0}, {"leaf", 1}, {"whole", 20}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var w Walk
			for i := 0; b.Loop(); i++ {
				w.Reset()
				for k := range 20 {
					pc := uintptr(100 + k) // innermost first
					if k < c.new {
						pc += uintptr(i%16) * 1000
					}
					w.Push(pc)
				}
				w.Intern(tree)
			}
		})
	}
}
