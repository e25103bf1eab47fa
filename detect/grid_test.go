package detect

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/reach"
)

var gridSide = flag.Int("grid", 60, "rows and columns of the grids of futures")

// gridBytes is the most that a task of a grid of 60 × 60 may take in the engines, with the object
// that stands for its end.
const gridBytes = 1200

// A wavefront of tasks, each of which waits for those above it and left of it, is judged in
// memory that grows with their number, not with its square: what tasks know is shared.
// Random pairs are asked about.
func TestGrid(t *testing.T) {
	for _, c := range []struct {
		name               string
		parallel, promises bool
	}{
		{"futures, serial", false, false},
		{"futures, parallel", true, false},
		{"promises, serial", false, true},
		{"promises, parallel", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGrid(t, *gridSide)
			if c.promises {
				g.promises = make([]uint32, len(g.tasks))
			}
			if c.parallel {
				g.Parallel(g.main, 0, true)
				g.inAnyOrder()
			} else {
				g.Serial(g.main, 0)
				for k := range g.tasks {
					g.create(k)
					g.run(k)
				}
			}
			g.sync()
			if _, now, _, _ := g.Answering(); now != engines.JoinTree {
				t.Errorf("%s answers in the end", now)
			}
			perTask := g.Engine.Bytes() / uint64(len(g.tasks))
			t.Logf("%d futures, %d bytes each", len(g.tasks), perTask)
			if perTask > gridBytes {
				t.Errorf("%d bytes for each of %d futures, want %d at most", perTask, len(g.tasks), gridBytes)
			}
		})
	}
}

type grid struct {
	*judged
	t      *testing.T
	random *rand.Rand
	side   int
	main   reach.Task
	tasks  []reach.Task   // row by row
	lasts  []reach.Strand // of those that have run
	done   []int

	promises []uint32 // set by the tasks; nil where they are futures
}

func newGrid(t *testing.T, side int) *grid {
	g := &grid{judged: newJudged(t), t: t, random: rand.New(rand.NewPCG(1, 2)), side: side}
	t.Cleanup(g.closeSerial)
	g.main = g.Fork(g.Engine.Root(), 0)
	g.tasks, g.lasts = make([]reach.Task, side*side), make([]reach.Strand, side*side)
	return g
}

func (g *grid) create(k int) {
	kind := reach.Create
	if g.promises != nil {
		kind, g.promises[k] = reach.Spawn, g.NewPromise()
	}
	g.tasks[k] = tell(g.t, g.judged, kind, g.main, 0, 0)
}

// wait lets the running cell learn of cell k.
func (g *grid) wait(self reach.Task, k int) {
	if g.promises == nil {
		tell(g.t, g.judged, reach.Get, self, g.tasks[k], 0)
	} else {
		tell(g.t, g.judged, reach.Await, self, 0, g.promises[k])
	}
}

// sync joins the cells.
func (g *grid) sync() {
	if g.promises != nil {
		tell(g.t, g.judged, reach.Sync, g.main, 0, 0)
	} else {
		g.wait(g.main, len(g.tasks)-1)
	}
	for k, u := range g.lasts {
		if !g.precedes(u, g.main) {
			g.t.Fatalf("cell %d does not precede the join", k)
		}
	}
}

// run waits for the neighbours of cell k, asks about cells that have run, and ends.
func (g *grid) run(k int) {
	self, row, column := g.tasks[k], k/g.side, k%g.side
	if row > 0 {
		g.wait(self, k-g.side)
	}
	if column > 0 {
		g.wait(self, k-1)
	}
	for range min(8, len(g.done)) {
		u := g.done[g.random.IntN(len(g.done))]
		want := u/g.side <= row && u%g.side <= column
		if got := g.precedes(g.lasts[u], self); got != want {
			g.t.Fatalf("cell %d precedes cell %d of %d × %d: %v", u, k, g.side, g.side, got)
		}
	}
	g.lasts[k] = g.Engine.Strand(self)
	g.done = append(g.done, k)
	if g.promises != nil {
		tell(g.t, g.judged, reach.Set, self, 0, g.promises[k])
	}
	tell(g.t, g.judged, reach.End, self, 0, 0)
}

// inAnyOrder creates all tasks first. Then any runs whose neighbours have ended.
func (g *grid) inAnyOrder() {
	for k := range g.tasks {
		g.create(k)
	}
	waits := make([]int, len(g.tasks))
	for k := range waits {
		waits[k] = min(1, k/g.side) + min(1, k%g.side)
	}
	for ready := []int{0}; len(ready) > 0; {
		i := g.random.IntN(len(ready))
		k := ready[i]
		ready[i] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		g.run(k)
		for _, next := range []int{k + 1, k + g.side} {
			if next >= len(waits) || next == k+1 && next%g.side == 0 {
				continue
			}
			if waits[next]--; waits[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
}
