package detect

import (
	"testing"

	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// A sole task goes on in its strand after what it releases, and after it takes or gives back a
// lock if there never was another; what it accesses over and over does not come to the history.
func TestSole(t *testing.T) {
	j := newJudged(t)
	tasks := []reach.Task{0, j.Fork(j.Engine.Root(), 0)}
	j.live = living(&tasks)
	a := tasks[1]
	stays := func(what string, stays bool, do func()) {
		t.Helper()
		before := j.Engine.Strand(a)
		do()
		if (j.Engine.Strand(a) == before) != stays {
			t.Errorf("%s: the strand stays: %v, want %v", what, !stays, stays)
		}
	}
	locks := func(first bool) {
		t.Helper()
		stays("take a lock", first, func() { j.Hold(a, low+64, true) })
		stays("give a lock back", first, func() { j.Release(a, low+64); j.Drop(a, low+64, true) })
	}
	slow := 0
	for range 10 {
		if j.access(a, shadow.Write, low, 1) {
			slow++
		}
		stays("release", true, func() { j.Release(a, low+8) })
		stays("merge", true, func() { j.ReleaseMerge(a, low+16) })
		stays("exchange", true, func() { j.ReleaseAcquire(a, low+24) })
	}
	if slow > 1 {
		t.Errorf("%d of 10 writes came to the history", slow)
	}
	locks(true)
	tasks = append(tasks, j.Fork(a, 7))
	if j.Engine.Sole() != 0 {
		t.Error("sole after a fork")
	}
	stays("release beside another", false, func() { j.Release(a, low+8) })
	locks(false)
	j.End(tasks[2])
	tasks[2] = 0
	stays("release after another", true, func() { j.Release(a, low+8) })
	locks(false)
	t.Cleanup(j.closeSerial)
	j.serial.maxTasks, j.serial.maxStrands = 64, 512
	j.Serial(a, engines.MultiBags)
	j.Engine.SetSole(a)
	if _, refusal := j.Construct(reach.Finish, a, 0, 0, 7); refusal.Refused() || j.Engine.Sole() != 0 {
		t.Errorf("sole after a construct (%v), whose releases do not ask", refusal)
	}
}

// What all of a sole task's strand was told to follow does not grow without end: the strand ends
// with the next release.
func TestOverheard(t *testing.T) {
	j := newJudged(t)
	tasks := []reach.Task{0, j.Fork(j.Engine.Root(), 0)}
	j.live = living(&tasks)
	a, finalizer := tasks[1], j.Fork(j.Engine.Root(), 0)
	j.Release(a, low+8)
	j.AcquireAll(finalizer)
	j.Release(a, low+8)
	j.access(a, shadow.Write, low, 1)
	j.access(finalizer, shadow.Read, low, 2)
	if len(j.races) != 1 {
		t.Errorf("a write beside a finalizer that had begun: %d races, want 1", len(j.races))
	}
}

// TestSoleMutants shows that the tests notice a task that is taken to be sole and is not.
func TestSoleMutants(t *testing.T) {
	mutants.Run(t, "^(TestLuckAgainstVectorClocks|TestAgainstVectorClocks|TestOverheard|TestSole)$", []mutants.Mutant{
		{Name: "who was sole remains it", File: "objects.go",
			Old: "	case d.Engine.Sole() == t:\n		d.Engine.SetSole(0)\n", New: ""},
		{Name: "who is sole is the first", File: "locks.go",
			Old: "if _, first := d.sole(t); !first {", New: "if sole, _ := d.sole(t); !sole {"},
		{Name: "a lock given back protects what follows", File: "locks.go",
			Old: "if sole, first := d.sole(t); sole && !first {", New: "if false {"},
		{Name: "a strand that was overheard goes on", File: "objects.go",
			Old: "	offheap.Store32(&d.overheard, 1)\n", New: ""},
		{Name: "nobody is sole", File: "objects.go",
			Old: "	return d.host.Sole(t)\n", New: "	return false, false\n"},
	})
}
