package dag_test

import (
	"strings"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/structtest"
)

// structured builds the graph of control events.
func structured(t *testing.T, events []event.Event) *dag.Structured {
	t.Helper()
	b := event.NewBinder(uint32(len(events)) + 2)
	defer b.Close()
	g := dag.NewStructured()
	for _, e := range events {
		if err := b.Control(e, func(c *reach.Construct) reach.Refusal { g.Do(c); return reach.Refusal{} }); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// Programs made of a class's constructs are in it, and in the classes around it.
func TestClassOfRandomPrograms(t *testing.T) {
	for _, c := range []struct {
		made structtest.Class
		in   []dag.Class
	}{
		{structtest.SpawnSync, []dag.Class{dag.SP, dag.StructuredFutures, dag.GeneralFutures, dag.Promises, dag.Lattice}},
		{structtest.AsyncFinish, []dag.Class{dag.SP, dag.StructuredFutures, dag.GeneralFutures, dag.Promises, dag.Lattice}},
		{structtest.StructuredFutures, []dag.Class{dag.StructuredFutures, dag.GeneralFutures, dag.Promises}},
		{structtest.GeneralFutures, []dag.Class{dag.GeneralFutures, dag.Promises}},
		{structtest.Promises, []dag.Class{dag.Promises}},
		{structtest.Lattice, []dag.Class{dag.Lattice}},
	} {
		left := map[dag.Class]int{}
		for seed := range uint64(150) {
			p := structtest.FromSeed(seed, 40, c.made, reach.AnyOrder)
			breaks := structured(t, p).Classify()
			for _, class := range c.in {
				if b, broken := breaks[class]; broken {
					t.Fatalf("%s: not in %s: construct %d: %s\n%s", c.made.Name, class, b.Construct, b.Why, p)
				}
			}
			for class := range breaks {
				left[class]++
			}
		}
		if c.made.Name != structtest.SpawnSync.Name && c.made.Name != structtest.AsyncFinish.Name && left[dag.SP] == 0 {
			t.Errorf("%s: every program is series-parallel", c.made.Name)
		}
		t.Log(c.made.Name, "left", left)
	}
}

func TestWhatBreaksAClass(t *testing.T) {
	const create, get, spawn, sync, async, finish, endfinish, fork, join = event.Kind(reach.Create), event.Kind(reach.Get), event.Kind(reach.Spawn),
		event.Kind(reach.Sync), event.Kind(reach.Async), event.Kind(reach.Finish), event.Kind(reach.EndFinish), event.Kind(reach.Fork), event.Kind(reach.Join)
	const end, set, await = event.Kind(reach.End), event.Kind(reach.Set), event.Kind(reach.Await)
	for _, c := range []struct {
		name   string
		events []event.Event
		class  dag.Class
		at     int
		why    string
	}{
		{"a future got twice", []event.Event{{Kind: create, Arg: 1}, {Kind: end, Task: 1}, {Kind: get, Arg: 1}, {Kind: get, Arg: 1}},
			dag.StructuredFutures, 3, "a second time, after construct 2"},
		{"a handle that races", []event.Event{{Kind: spawn, Arg: 1}, {Kind: create, Task: 1, Arg: 2}, {Kind: end, Task: 2}, {Kind: get, Arg: 2}},
			dag.StructuredFutures, 3, "does not precede the get"},
		{"a promise", []event.Event{{Kind: event.Promise, Arg: 7}, {Kind: spawn, Arg: 1}, {Kind: set, Task: 1, Arg: 7}, {Kind: await, Arg: 7}},
			dag.GeneralFutures, 1, "a promise"},
		{"tasks on a line", []event.Event{{Kind: fork, Arg: 1}}, dag.Promises, 0, "a line"},
		// A child's async outlives the sync that joins the child: the order has an N.
		{"an async that leaves a sync block", []event.Event{
			{Kind: finish}, {Kind: spawn, Arg: 1}, {Kind: async, Task: 1, Arg: 2}, {Kind: end, Task: 1}, {Kind: sync}, {Kind: end, Task: 2}, {Kind: endfinish}},
			dag.SP, 4, "cannot be composed"},
		// The left neighbour of one's own left neighbour: a grid of two by two.
		{"a grid", []event.Event{
			{Kind: fork, Arg: 1}, {Kind: fork, Task: 1, Arg: 2}, {Kind: end, Task: 2}, {Kind: end, Task: 1}, {Kind: fork, Arg: 3}, {Kind: end, Task: 3},
			{Kind: join, Arg: 3}, {Kind: join, Arg: 1}, {Kind: join, Arg: 2}},
			dag.SP, -1, "cannot be composed"},
		// Two futures, both got by two tasks: no supremum.
		{"two futures got crosswise", []event.Event{
			{Kind: create, Arg: 1}, {Kind: create, Arg: 2}, {Kind: end, Task: 1}, {Kind: end, Task: 2}, {Kind: spawn, Arg: 3},
			{Kind: get, Task: 3, Arg: 1}, {Kind: get, Task: 3, Arg: 2}, {Kind: get, Arg: 1}, {Kind: get, Arg: 2}},
			dag.Lattice, -2, "several least successors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, broken := structured(t, c.events).Classify()[c.class]
			if broken != (c.why != "") || broken && (c.at >= 0 && b.Construct != c.at || !strings.Contains(b.Why, c.why)) {
				t.Errorf("%s: broken %v at construct %d: %q; want construct %d: %q", c.class, broken, b.Construct, b.Why, c.at, c.why)
			}
		})
	}
}
