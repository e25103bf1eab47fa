package jointree_test

import (
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/reachtest"
	"github.com/detrace/detrace/reach/vclock"
)

// TestTrunks lets more tasks than a delta holds exchange messages at random,
// most of them through one lock, and compares all with vector clocks. In every other
// round there are many short runs.
func TestTrunks(t *testing.T) {
	rounds := 10
	if reachtest.Race {
		rounds = 1
	}
	for seed := range uint64(rounds) {
		const tasks, objects, events = 200, 4, 10000
		random := rand.New(rand.NewPCG(seed, 0))
		var e jointree.Engine
		var clocks vclock.Engine
		e.Init(1 << 16)
		if seed%2 == 1 {
			e.Cramp()
		}
		type strands struct{ tree, clock reach.Strand }
		var known []strands
		var lines [tasks]struct{ tree, clock reach.Task }
		for i := range lines {
			tree, clock := e.Root(), clocks.Root()
			if i > 0 && random.IntN(4) == 0 {
				k := random.IntN(i)
				tree, clock = lines[k].tree, lines[k].clock
			}
			lines[i].tree, lines[i].clock = e.Fork(tree), clocks.Fork(clock)
		}
		var slots [objects]struct {
			tree  jointree.Object
			clock uint32
		}
		for i := range slots {
			slots[i].tree, slots[i].clock = e.NewObject(), clocks.NewObject()
		}
		for k := range events {
			l, o := lines[random.IntN(tasks)], slots[max(0, random.IntN(16)-12)]
			known = append(known, strands{e.Strand(l.tree), clocks.Strand(l.clock)})
			switch random.IntN(8) {
			case 0:
				e.ReleaseMerge(l.tree, o.tree)
				clocks.ReleaseMerge(l.clock, o.clock)
			case 1:
				e.ReleaseAcquire(l.tree, o.tree)
				clocks.ReleaseAcquire(l.clock, o.clock)
			default:
				e.Acquire(l.tree, o.tree)
				clocks.Acquire(l.clock, o.clock)
				e.Release(l.tree, o.tree)
				clocks.Release(l.clock, o.clock)
			}
			if e.Exhausted() {
				t.Fatal("facts were lost")
			}
			for range 20 {
				u := known[max(0, len(known)-1-random.IntN(1000))]
				if got, want := e.Precedes(u.tree, l.tree), clocks.Precedes(u.clock, l.clock); got != want {
					t.Fatalf("seed %d, event %d: strand %d of task %d precedes task %d: %v, want %v", seed, k, u.tree.Index(), u.tree.Task(), l.tree, got, want)
				}
			}
			if k%1000 == 0 {
				e.BeginMark()
				for _, u := range known {
					e.Mark(u.tree)
				}
				e.Sweep()
			}
		}
		e.Close()
	}
}
