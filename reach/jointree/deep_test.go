package jointree_test

import (
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
)

const deep = 200000

// nest forks a line of tasks, each the child of the one before it.
func nest(t *testing.T) (e *jointree.Engine, line []reach.Task) {
	e = new(jointree.Engine)
	e.Init(deep + 1)
	t.Cleanup(e.Close)
	line = []reach.Task{e.Root()}
	for len(line) < deep {
		line = append(line, e.Fork(line[len(line)-1]))
	}
	return e, line
}

// TestDeepJoins joins a deep nest from its bottom, each task by its parent.
func TestDeepJoins(t *testing.T) {
	e, line := nest(t)
	bottom := line[deep-1]
	group := e.NewObject()
	for i := deep - 1; i > 0; i-- {
		e.ReleaseMerge(line[i], group)
		e.End(line[i])
		if i%1000 == 0 && e.Precedes(reach.StrandOf(bottom, 0), line[i-1]) {
			t.Fatalf("the bottom precedes task %d, which has not joined", i-1)
		}
		e.Acquire(line[i-1], group)
		if i%1000 == 0 && !e.Precedes(reach.StrandOf(bottom, 0), line[i-1]) {
			t.Fatalf("the bottom does not precede task %d, which has joined", i-1)
		}
	}
	checkJoined(t, e, line)
}

// TestDeepGroup joins a deep nest by its root alone.
func TestDeepGroup(t *testing.T) {
	e, line := nest(t)
	group := e.NewObject()
	for _, task := range line[1:] {
		e.ReleaseMerge(task, group)
		e.End(task)
	}
	e.Acquire(e.Root(), group)
	checkJoined(t, e, line)
}

func checkJoined(t *testing.T, e *jointree.Engine, line []reach.Task) {
	t.Helper()
	for _, task := range line[1:] {
		if last := e.Strand(task) - 1; !e.Precedes(last, e.Root()) || e.Precedes(last+1, e.Root()) {
			t.Fatalf("of task %d up to strand %d should precede the join", task, last.Index())
		}
	}
	if front := e.Current(e.Root()).Front; front != 0 {
		t.Error("nested joins needed a front")
	}
}
