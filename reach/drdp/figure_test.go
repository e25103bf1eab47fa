package drdp_test

import (
	"slices"
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/drdp"
	"github.com/detrace/detrace/reach/structtest"
)

// figure6 is the program of Figure 6 as a serial run with task switching performs it; the
// reads are its steps. Promise 1 is a, promise 2 is b; task 1 is f, task 2 is g.
const figure6 = "promise 0 1; promise 0 2; read 0 0x1 1 s1; " +
	"async 0 1; read 1 0x1 1 s2; set 1 1; read 1 0x1 1 s3; block 1 2; " +
	"read 0 0x1 1 s4; await 0 1; read 0 0x1 1 s5; " +
	"async 0 2; read 2 0x1 1 s6; set 2 2; await 1 2; read 1 0x1 1 s7; end 1; read 2 0x1 1 s8; end 2; " +
	"read 0 0x1 1 s9; end 0"

// after are the edges of its computation graph.
var after = map[string][]string{
	"s1": nil, "s2": {"s1"}, "s3": {"s2"}, "s4": {"s1"}, "s5": {"s4", "s2"},
	"s6": {"s5"}, "s7": {"s3", "s6"}, "s8": {"s6"}, "s9": {"s5"},
}

func path(from, to string) bool {
	return from == to || slices.ContainsFunc(after[to], func(s string) bool { return path(from, s) })
}

// TestFigure7 runs the program of Figure 6: steps precede each other as its drawing says, the
// tree alone knows of fewer, and at the end of each task its non-tree joins and the
// ancestor whose joins it shares are those of the table in Figure 7.
func TestFigure7(t *testing.T) {
	binder := event.NewBinder(8)
	defer binder.Close()
	e := new(drdp.Engine)
	e.Init(8, 64)
	defer e.Close()
	steps := map[string]reach.Strand{}
	for _, ev := range structtest.List(t, figure6) {
		if ev.Kind.Access() {
			now, err := binder.Access(ev)
			if err != nil {
				t.Fatal(err)
			}
			steps[ev.Site] = now
			for s, u := range steps {
				if got, want := e.Precedes(u, now), path(s, ev.Site); got != want {
					t.Errorf("%s precedes %s: %v, want %v", s, ev.Site, got, want)
				}
			}
			continue
		}
		if ev.Kind == event.Of(reach.End) {
			checkJoins(t, e, binder, ev.Task, steps)
		}
		if err := binder.Control(ev, e.Do); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		from, to string
		want     bool
	}{{"s1", "s2", true}, {"s1", "s9", true}, {"s5", "s6", true}, {"s2", "s6", false}, {"s6", "s7", false}} {
		if got := e.InTree(steps[c.from], steps[c.to]); got != c.want {
			t.Errorf("the tree orders %s before %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

// checkJoins compares what the engine keeps of a task with the row of Figure 7.
func checkJoins(t *testing.T, e *drdp.Engine, binder *event.Binder, task uint32, steps map[string]reach.Strand) {
	t.Helper()
	row := map[uint32]struct {
		setter   string
		ancestor reach.Task
	}{0: {"s2", 0}, 1: {"s6", 0}, 2: {"", binder.Task(0)}}[task]
	var want []uint32
	if row.setter != "" {
		want = []uint32{steps[row.setter].Index()}
	}
	own, ancestor := e.Joins(binder.Task(task))
	if !slices.Equal(own, want) || ancestor != row.ancestor {
		t.Errorf("at the end of task %d: joins %v, those of task %d; want %v, %d", task, own, ancestor, want, row.ancestor)
	}
}
