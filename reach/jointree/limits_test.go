package jointree_test

import (
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
)

func TestTaskTableFull(t *testing.T) {
	var e jointree.Engine
	e.Init(3)
	defer e.Close()
	a, b := e.Fork(e.Root()), e.Fork(e.Root())
	before := e.Strand(e.Root())
	if c := e.Fork(e.Root()); c != 0 || e.Strand(e.Root()) != before {
		t.Fatalf("fork of a fourth task gave %d and strand %d", c, e.Strand(e.Root()).Index())
	}
	e.End(b)
	e.BeginMark()
	if freed := e.Sweep(); freed != 1 {
		t.Fatalf("%d tasks freed, want 1", freed)
	}
	c := e.Fork(a)
	if parent, fork := e.Parent(c); c == 0 || parent != a || fork != 0 {
		t.Fatalf("after a sweep fork gave task %d of parent %d at %d", c, parent, fork)
	}
	if e.Serial(c) != 4 || e.Started() != 4 {
		t.Errorf("serial %d of %d, want 4 of 4", e.Serial(c), e.Started())
	}
	if e.Exhausted() {
		t.Error("a failed fork lost no fact")
	}
}

// TestObjectTableFull checks that object 0, which a full table gives, can be
// used and holds nothing.
func TestObjectTableFull(t *testing.T) {
	var e jointree.Engine
	e.Init(2)
	defer e.Close()
	for e.NewObject() != 0 {
	}
	if !e.Exhausted() {
		t.Error("the engine hides that an object is missing")
	}
	child := e.Fork(e.Root())
	before := e.Strand(child)
	e.Release(child, 0)
	e.ReleaseMerge(child, 0)
	e.Acquire(e.Root(), 0)
	e.ReleaseAcquire(e.Root(), 0)
	e.FreeObject(0)
	if e.Strand(child) != before || e.Precedes(before, e.Root()) {
		t.Error("object 0 carried knowledge")
	}
}

// TestFrontsFull fills the space for fronts. Then facts get lost, and the
// engine says so; what it still says is true.
func TestFrontsFull(t *testing.T) {
	var e jointree.Engine
	e.Init(16)
	defer e.Close()
	a, b := e.Fork(e.Root()), e.Fork(e.Root())
	slot := e.NewObject()
	for range 1 << 20 {
		u := e.Strand(a)
		e.Release(a, slot)
		e.Acquire(b, slot)
		if e.Precedes(u+1, b) {
			t.Fatal("a strand after the release precedes the acquire")
		}
		if !e.Precedes(u, b) {
			if !e.Exhausted() {
				t.Fatal("a fact was lost and the engine hides it")
			}
			return
		}
		if e.Exhausted() {
			t.Fatal("the engine gave up before it lost a fact")
		}
	}
	t.Fatal("space for fronts never ends")
}

// TestStrandsOverflow checks that the last position is noticed, not passed.
func TestStrandsOverflow(t *testing.T) {
	for _, c := range []struct {
		name string
		op   func(e *jointree.Engine, t reach.Task, o jointree.Object)
	}{
		{"fork", func(e *jointree.Engine, t reach.Task, _ jointree.Object) { e.Fork(t) }},
		{"release", (*jointree.Engine).Release},
		{"merge", (*jointree.Engine).ReleaseMerge},
		{"acquire", func(e *jointree.Engine, t reach.Task, o jointree.Object) { e.Acquire(t, o) }},
		{"swap", func(e *jointree.Engine, t reach.Task, o jointree.Object) { e.ReleaseAcquire(t, o) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e jointree.Engine
			e.Init(4)
			defer e.Close()
			o, child := e.NewObject(), e.Fork(e.Root())
			e.Release(child, o)
			e.SetIndex(e.Root(), ^uint32(0))
			defer func() {
				if recover() == nil {
					t.Errorf("strand 2^32 began: %d", e.Strand(e.Root()).Index())
				}
			}()
			c.op(&e, e.Root(), o)
		})
	}
}

func TestForkStack(t *testing.T) {
	var e jointree.Engine
	e.Init(4)
	defer e.Close()
	a := e.Fork(e.Root())
	e.SetForkStack(a, 77)
	if b := e.Fork(a); e.ForkStack(a) != 77 || e.ForkStack(b) != 0 {
		t.Errorf("stacks %d and %d, want 77 and 0", e.ForkStack(a), e.ForkStack(b))
	}
}

// TestNoNewsNoStrand checks that an acquire begins a strand if and only if it
// brings news, and says so.
func TestNoNewsNoStrand(t *testing.T) {
	var e jointree.Engine
	e.Init(8)
	defer e.Close()
	o, a, b := e.NewObject(), e.Fork(e.Root()), e.Fork(e.Root())
	acquire := func(task reach.Task, o jointree.Object) {
		before := e.Strand(task)
		if news := e.Acquire(task, o); news != (e.Strand(task) != before) {
			t.Errorf("Acquire returned %v", news)
		}
	}
	steps := []struct {
		name string
		t    reach.Task
		op   func(reach.Task, jointree.Object)
		want uint32 // strands begun
	}{
		{"acquire of nothing", a, acquire, 0},
		{"release", a, e.Release, 1},
		{"acquire of one's own release", a, acquire, 0},
		{"acquire of news", b, acquire, 1},
		{"acquire of the same again", b, acquire, 0},
		{"acquire by the parent", e.Root(), acquire, 1},
		{"and again", e.Root(), acquire, 0},
		{"merge", b, e.ReleaseMerge, 1},
		{"acquire of the merge", e.Root(), acquire, 1},
		{"swap without news", b, swap(&e), 1},
	}
	for _, s := range steps {
		before := e.Strand(s.t).Index()
		s.op(s.t, o)
		if got := e.Strand(s.t).Index() - before; got != s.want {
			t.Errorf("%s: %d strands began, want %d", s.name, got, s.want)
		}
	}
}
