package rsketch_test

import (
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/rsketch"
	"github.com/detrace/detrace/reach/structtest"
)

// In depth-first and stacked order the searches together visit a node a few times, and
// no node gets a new PredAnchor, by a fork that becomes one, more than three times: in
// the left and in the right side of forks once each, and once more as the first strand
// after a fork. R has at most 3 nodes for each end of a non-SP edge, and one if there is
// none: then nothing was hung under the chain.
func TestVisits(t *testing.T) {
	var nodes, visited uint64
	updates, worst := 0, 0.0
	for _, class := range classes {
		for _, order := range []reach.Order{reach.DepthFirst, reach.Stacked} {
			for seed := range uint64(8) {
				p := structtest.FromSeed(seed, 2500, class, order)
				c := count(t, p)
				if c.visits > 4*c.nodes || c.updates > 3 || uint64(c.anchors) > 3*uint64(c.ends)+1 || c.arcs > 2*c.anchors+c.ends {
					t.Errorf("%s, order %d, seed %d, %d events: %+v", class.Name, order, seed, len(p), c)
				}
				nodes, visited = nodes+c.nodes, visited+c.visits
				updates, worst = max(updates, c.updates), max(worst, float64(c.visits)/float64(c.nodes))
			}
		}
	}
	t.Logf("%.2f visits of each of %d nodes, %.2f in the worst program; at most %d updates of one node",
		float64(visited)/float64(nodes), nodes, worst, updates)
}

type counts struct {
	nodes, visits uint64
	updates       int // most PredAnchors that one node had after its first
	ends          uint32
	anchors, arcs uint32
}

// count runs p and counts.
func count(t *testing.T, p structtest.Program) (c counts) {
	binder := event.NewBinder(uint32(len(p)) + 2)
	defer binder.Close()
	var engine rsketch.Engine
	engine.Init(uint32(len(p))+2, uint32(3*len(p))+2)
	defer engine.Close()
	var strands []reach.Strand
	had, updates := map[reach.Strand]uint32{}, map[reach.Strand]int{}
	for _, e := range p {
		err := binder.Control(e, func(k *reach.Construct) reach.Refusal {
			refusal := engine.Do(k)
			switch k.Kind {
			case reach.Create, reach.Get, reach.Await:
				c.ends += 2
			case reach.Async:
				if k.Finish == 0 {
					c.ends += 2
				}
			case reach.Set, reach.Block:
				c.ends++
			case reach.End:
				if _, kind := binder.Run.Parent(k.Task); kind == reach.Create {
					c.ends++
				}
			}
			for _, s := range strands {
				if now := engine.PredAnchor(s); now != had[s] && now != s.Index() { // it may become an anchor itself
					had[s] = now
					updates[s]++
					c.updates = max(c.updates, updates[s])
				}
			}
			for _, s := range []reach.Strand{k.First, k.After} {
				if s != 0 {
					strands = append(strands, s)
					had[s] = engine.PredAnchor(s)
				}
			}
			return refusal
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	path, back, forward := engine.Visits()
	c.nodes, c.visits = engine.Nodes(), path+back+forward
	c.anchors, c.arcs = engine.Anchors(), engine.Arcs()
	return c
}

// A chain of tasks, each spawned by the one before, all of which set a promise: the
// innermost first, as a depth-first run does, is linear, the outermost first
// quadratic. That is what the order is good for.
func TestOrderBoundsSearches(t *testing.T) {
	const m = 1000
	forward := func(outermost bool) uint64 {
		r := newRun(t, m+2, 8*m)
		tasks := []reach.Task{root}
		for i := range m {
			tasks = append(tasks, r.spawn(tasks[i]))
		}
		r.set(tasks[m], r.run.NewPromise())
		for i := range m {
			if !outermost {
				i = m - 1 - i
			}
			r.set(tasks[i], r.run.NewPromise())
		}
		_, _, visits := r.engine.Visits()
		return visits
	}
	if n := forward(false); n > 4*m {
		t.Errorf("innermost first: %d visits", n)
	}
	if n := forward(true); n < m*m/2 {
		t.Errorf("outermost first: %d visits; the comments say that the order matters", n)
	}
}
