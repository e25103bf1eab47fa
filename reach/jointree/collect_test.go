package jointree_test

import (
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/reachtest"
)

// TestBoundedMemory runs programs that would go on for ever and collects
// whenever a megabyte is in use; nothing is remembered. What stays must not
// grow with the length of the run.
func TestBoundedMemory(t *testing.T) {
	for _, c := range []struct {
		name  string
		tasks uint32 // most that may be left by a collection
		start func(e *jointree.Engine) (step func())
	}{
		{"joined by the parent", 20, joined},
		{"received from by a sibling", 4, received},
		{"merged into a group nobody waits for", 20, unwaited},
		{"one task merges", 2, mergedByOne},
		{"messages between two", 3, pingPong},
		{"locks", 4, locks},
		{"short-lived objects", 2, shortLived},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e jointree.Engine
			e.Init(1 << 17)
			defer e.Close()
			step := c.start(&e)
			const limit = 1 << 20
			steps := 1000000
			if reachtest.Race {
				steps /= 20
			}
			for range steps {
				step()
				if e.Bytes() < limit {
					continue
				}
				e.BeginMark()
				e.Sweep()
				tasks, _, blocks := e.Live()
				if tasks > c.tasks || e.Bytes() > limit/8 {
					t.Fatalf("a collection leaves %d tasks and %d blocks in %d bytes", tasks, blocks, e.Bytes())
				}
			}
			if e.Exhausted() {
				t.Error("facts were lost")
			}
		})
	}
}

// A front that was learned from a task which is reclaimed does not take a task with the same
// number for that one.
func TestTipOfReclaimedTask(t *testing.T) {
	const many = 100 // strands are more than go without a trunk
	var e jointree.Engine
	e.Init(1 << 10)
	defer e.Close()
	crowd := func() (group jointree.Object, strands []reach.Strand) {
		group = e.NewObject()
		for range many {
			member := e.Fork(e.Root())
			strands = append(strands, e.Strand(member))
			e.ReleaseMerge(member, group)
		}
		return group, strands
	}
	learner, teacher := e.Fork(e.Root()), e.Fork(e.Root())
	group, known := crowd()
	lesson := e.NewObject()
	e.Acquire(teacher, group)
	e.Release(teacher, lesson)
	e.End(teacher)
	e.Acquire(learner, lesson)
	e.FreeObject(lesson)
	others, _ := crowd()
	e.BeginMark()
	for _, u := range known {
		e.Mark(u)
	}
	if e.Sweep() != 1 {
		t.Fatal("more or less was reclaimed than one task")
	}
	second := e.Fork(e.Root())
	if second != teacher {
		t.Fatalf("task %d has not the number of task %d", second, teacher)
	}
	for range 10 { // in case positions matter
		e.Release(second, e.NewObject())
	}
	e.Acquire(second, others)
	lesson = e.NewObject()
	e.Release(second, lesson)
	e.Acquire(learner, lesson)
	for _, u := range known {
		if !e.Precedes(u, learner) {
			t.Fatalf("strand %d of task %d is forgotten", u.Index(), u.Task())
		}
	}
}

func joined(e *jointree.Engine) func() {
	group := e.NewObject()
	return func() {
		child := e.Fork(e.Root())
		e.ReleaseMerge(child, group)
		e.End(child)
		e.Acquire(e.Root(), group)
	}
}

func received(e *jointree.Engine) func() {
	slot, sibling := e.NewObject(), e.Fork(e.Root())
	return func() {
		child := e.Fork(e.Root())
		e.Release(child, slot)
		e.End(child)
		e.Acquire(sibling, slot)
	}
}

func unwaited(e *jointree.Engine) func() {
	group := e.NewObject()
	return func() {
		child := e.Fork(e.Root())
		e.ReleaseMerge(child, group)
		e.End(child)
	}
}

func mergedByOne(e *jointree.Engine) func() {
	group, child := e.NewObject(), e.Fork(e.Root())
	return func() { e.ReleaseMerge(child, group) }
}

func pingPong(e *jointree.Engine) func() {
	there, back, child := e.NewObject(), e.NewObject(), e.Fork(e.Root())
	return func() {
		e.Release(e.Root(), there)
		e.Acquire(child, there)
		e.Release(child, back)
		e.Acquire(e.Root(), back)
	}
}

func locks(e *jointree.Engine) func() {
	var tasks [3]reach.Task
	for i := range tasks {
		tasks[i] = e.Fork(e.Root())
	}
	lock, k := e.NewObject(), 0
	return func() {
		t := tasks[k%3]
		k++
		e.Acquire(t, lock)
		e.Release(t, lock)
	}
}

func shortLived(e *jointree.Engine) func() {
	child := e.Fork(e.Root())
	return func() {
		o := e.NewObject()
		e.ReleaseMerge(e.Root(), o)
		e.ReleaseMerge(child, o)
		e.FreeObject(o)
	}
}

// TestMillionAlive keeps a million tasks that have ended, joined and not, then
// lets all of them go.
func TestMillionAlive(t *testing.T) {
	n := uint32(1000000)
	if reachtest.Race {
		n /= 20
	}
	var e jointree.Engine
	e.Init(n + 1)
	defer e.Close()
	group := e.NewObject()
	first := e.Strand(e.Root())
	for range n {
		child := e.Fork(e.Root())
		e.ReleaseMerge(child, group)
		e.End(child)
	}
	if child := e.Fork(e.Root()); child != 0 {
		t.Fatalf("a full table gave task %d", child)
	}
	e.Acquire(e.Root(), group)
	if front := e.Current(e.Root()).Front; front != 0 {
		t.Error("joining children needed a front")
	}
	if !e.Precedes(reach.StrandOf(reach.Task(n+1), 0), e.Root()) || e.Precedes(reach.StrandOf(reach.Task(n+1), 1), e.Root()) {
		t.Error("the last child's first strand, and not its second, should precede the join")
	}
	e.BeginMark()
	e.Mark(first)
	e.Mark(reach.StrandOf(reach.Task(n/2), 0))
	if freed := e.Sweep(); freed < int(n)-20 {
		t.Errorf("%d tasks were freed", freed)
	}
	if !e.Precedes(reach.StrandOf(reach.Task(n/2), 0), e.Root()) {
		t.Error("a marked strand was forgotten")
	}
	if serial := e.Serial(e.Fork(e.Root())); serial != n+2 {
		t.Errorf("the next task is number %d", serial)
	}
}
