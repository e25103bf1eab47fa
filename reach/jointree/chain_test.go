package jointree_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/reachtest"
	"github.com/detrace/detrace/reach/vclock"
)

// twins are the engine and vector clocks, told the same.
type twins struct {
	t      *testing.T
	seed   uint64
	random *rand.Rand
	tree   jointree.Engine
	clocks vclock.Engine
	live   []lines // tasks that have not ended
	known  []twinStrands
	kept   []twinHandles // since the last collection
	all    bool          // some learn of all
	jumps  bool          // positions grow by more than one
}

type lines struct{ tree, clock reach.Task }

type twinStrands struct{ tree, clock reach.Strand }

type twinHandles struct {
	tree  jointree.Handle
	clock vclock.Handle
}

type slot struct {
	tree  jointree.Object
	clock uint32
}

func newTwins(t *testing.T, seed uint64) *twins {
	w := &twins{t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 0))}
	w.tree.Init(1 << 12)
	w.live = []lines{{w.tree.Root(), w.clocks.Root()}}
	return w
}

func (w *twins) fork(parent lines) lines {
	child := lines{w.tree.Fork(parent.tree), w.clocks.Fork(parent.clock)}
	w.live = append(w.live, child)
	w.jump(child)
	w.note(parent)
	w.note(child)
	return child
}

// jump lets the position of l grow, as that of tasks which a run numbers too.
func (w *twins) jump(l lines) {
	if w.jumps && w.random.IntN(4) != 0 {
		w.tree.SetIndex(l.tree, w.tree.Strand(l.tree).Index()+uint32(w.random.IntN(5)))
	}
}

func (w *twins) slot() slot { return slot{w.tree.NewObject(), w.clocks.NewObject()} }

// note makes the strand of l known that began just now. To the clocks every acquire
// begins one, to the tree only news do.
func (w *twins) note(l lines) {
	w.known = append(w.known, twinStrands{w.tree.Strand(l.tree), w.clocks.Strand(l.clock)})
}

func (w *twins) acquire(l lines, s slot) {
	w.jump(l)
	news := w.tree.Acquire(l.tree, s.tree)
	w.clocks.Acquire(l.clock, s.clock)
	if news {
		w.note(l)
	}
	w.ask(l)
}

func (w *twins) release(l lines, s slot) {
	w.jump(l)
	w.tree.Release(l.tree, s.tree)
	w.clocks.Release(l.clock, s.clock)
	w.note(l)
}

func (w *twins) merge(l lines, s slot) {
	w.jump(l)
	w.tree.ReleaseMerge(l.tree, s.tree)
	w.clocks.ReleaseMerge(l.clock, s.clock)
	w.note(l)
}

func (w *twins) swap(l lines, s slot) {
	w.tree.ReleaseAcquire(l.tree, s.tree)
	w.clocks.ReleaseAcquire(l.clock, s.clock)
	w.note(l)
	w.ask(l)
}

func (w *twins) acquireAll(l lines) {
	before := w.tree.Strand(l.tree)
	w.tree.AcquireAll(l.tree)
	w.clocks.AcquireAll(l.clock)
	if w.tree.Strand(l.tree) != before {
		w.note(l)
	}
	w.ask(l)
}

func (w *twins) end(l lines) {
	w.tree.End(l.tree)
	k := slices.Index(w.live, l)
	w.live[k] = w.live[len(w.live)-1]
	w.live = w.live[:len(w.live)-1]
}

// ask asks about all known strands and the current one of l, and about a few of them
// and one kept before.
func (w *twins) ask(l lines) {
	w.t.Helper()
	for _, u := range w.known {
		if got, want := w.tree.Precedes(u.tree, l.tree), w.clocks.Precedes(u.clock, l.clock); got != want {
			w.t.Fatalf("seed %d: strand %d of task %d precedes strand %d of task %d: %v, want %v",
				w.seed, u.tree.Index(), u.tree.Task(), w.tree.Strand(l.tree).Index(), l.tree, got, want)
		}
	}
	for range min(len(w.kept), len(w.known), 4) {
		v := w.kept[w.random.IntN(len(w.kept))]
		for range 10 {
			u := w.known[w.random.IntN(len(w.known))]
			if got, want := w.tree.PrecedesStrand(u.tree, v.tree), w.clocks.PrecedesStrand(u.clock, v.clock); got != want {
				w.t.Fatalf("seed %d: strand %d of task %d precedes strand %d of task %d: %v, want %v",
					w.seed, u.tree.Index(), u.tree.Task(), v.tree.Index, v.tree.Task, got, want)
			}
		}
	}
	if w.random.IntN(2) == 0 {
		w.kept = append(w.kept, twinHandles{w.tree.Current(l.tree), w.clocks.Current(l.clock)})
	}
}

// collect forgets all strands of some tasks, and reclaims.
func (w *twins) collect() {
	forgotten := map[reach.Task]bool{}
	w.tree.BeginMark()
	left := w.known[:0]
	for _, u := range w.known {
		t := u.tree.Task()
		if _, seen := forgotten[t]; !seen {
			forgotten[t] = w.random.IntN(3) == 0
		}
		if !forgotten[t] {
			left = append(left, u)
			w.tree.Mark(u.tree)
		}
	}
	w.known, w.kept = left, nil
	w.tree.Sweep()
}

// TestChains runs tasks that mostly begin by waiting for promises of others that have
// ended, most of them siblings, and asks about all strands after each acquire.
func TestChains(t *testing.T) {
	first, seeds := soak.Seeds(400)
	if reachtest.Race {
		seeds = 20
	}
	chains := 0
	for seed := first; seed < first+seeds; seed++ {
		w := newTwins(t, seed)
		if seed%3 == 0 {
			w.tree.Cramp()
		}
		collecting := seed%2 == 0
		w.all, w.jumps = seed%5 == 0, seed/2%2 == 0
		group, parents := w.slot(), []lines{w.live[0]}
		var promises []slot
		for len(w.known) < 150 {
			switch k := w.random.IntN(len(w.live)); w.random.IntN(24) {
			case 0:
				w.acquire(w.live[k], group)
			case 1, 7, 8:
				if collecting {
					w.collect()
				}
			case 2:
				if w.all {
					w.acquireAll(w.live[k])
				}
			case 3:
				w.swap(w.live[k], group)
			case 4, 5:
				if l := w.live[k]; l.tree != w.tree.Root() {
					w.end(l)
					parents = slices.DeleteFunc(parents, func(p lines) bool { return p == l })
				}
			case 6:
				if len(parents) < 4 {
					parents = append(parents, w.live[k])
				}
			default:
				w.cell(parents[w.random.IntN(len(parents))], group, &promises)
			}
		}
		if w.tree.Chained() {
			chains++
		}
		if w.tree.Exhausted() {
			t.Fatal("facts were lost")
		}
		w.tree.Close()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if chains < int(seeds)/2 {
		t.Errorf("%d of %d programs have chains", chains, seeds)
	}
}

// cell is a task that waits for some of the latest promises, sets one of its own and
// may do other things.
func (w *twins) cell(parent lines, group slot, promises *[]slot) {
	l := w.fork(parent)
	may := func() bool { return w.random.IntN(8) == 0 }
	if w.all && may() {
		w.acquireAll(w.live[w.random.IntN(len(w.live))])
	}
	for range w.random.IntN(4) {
		if n := len(*promises); n > 0 {
			promise := (*promises)[max(0, n-1-w.random.IntN(8))]
			if may() {
				w.swap(l, promise)
			} else {
				w.acquire(l, promise)
			}
		}
		if may() {
			w.cell(l, group, promises)
		}
	}
	own := w.slot()
	if may() {
		w.swap(l, own)
	} else {
		w.release(l, own)
	}
	*promises = append(*promises, own)
	if may() {
		w.cell(l, group, promises)
	}
	if w.random.IntN(2) == 0 {
		w.merge(l, group)
	}
	if !may() {
		w.end(l)
	}
}

// TestChainsAfterSweep shows what a collection must leave of chains.
func TestChainsAfterSweep(t *testing.T) {
	var e jointree.Engine
	start := func() (root reach.Task, follow func(o jointree.Object) (reach.Task, jointree.Object)) {
		e.Init(64)
		return e.Root(), func(o jointree.Object) (reach.Task, jointree.Object) {
			c, own := e.Fork(e.Root()), e.NewObject()
			e.Acquire(c, o)
			e.Release(c, own)
			e.End(c)
			return c, own
		}
	}
	sweep := func(marked ...reach.Task) {
		e.BeginMark()
		for _, c := range marked {
			e.Mark(reach.StrandOf(c, 0))
		}
		e.Sweep()
	}
	t.Run("a task between others is reclaimed", func(t *testing.T) {
		root, follow := start()
		defer e.Close()
		first, o := follow(0)
		_, second := follow(o)
		third, o := follow(second)
		e.FreeObject(second)
		sweep(first, third)
		e.Acquire(root, o)
		if !e.Precedes(reach.StrandOf(first, 0), root) || !e.Chained() {
			t.Error("the first of a chain does not precede who learns of the last")
		}
		if e.Current(root).Front != 0 {
			t.Error("the parent of a chain has a front, but links would do")
		}
	})
	t.Run("an id is used again", func(t *testing.T) {
		root, follow := start()
		defer e.Close()
		first, o := follow(0)
		second, own := follow(o)
		e.FreeObject(own)
		sweep(first)
		other, o := follow(0)
		if other != second || !e.Chained() {
			t.Fatalf("task %d follows %d, whose id is free", other, second)
		}
		e.Acquire(root, o)
		if !e.Precedes(reach.StrandOf(other, 0), root) || e.Precedes(reach.StrandOf(first, 0), root) {
			t.Error("a new task is taken for the successor that had its id")
		}
	})
	t.Run("a child of a successor knows what its grandparent did", func(t *testing.T) {
		root, follow := start()
		defer e.Close()
		elder := e.Fork(root)
		first, o := follow(0)
		forked := e.Strand(root)
		second, own := e.Fork(root), e.NewObject()
		e.Acquire(second, o)
		child := e.Fork(second)
		sweep(first)
		e.Release(child, own)
		e.Acquire(elder, own)
		for _, u := range []reach.Strand{forked, reach.StrandOf(first, 0), reach.StrandOf(second, 0)} {
			if !e.Precedes(u, elder) {
				t.Errorf("strand %d of task %d does not precede who learned of the child", u.Index(), u.Task())
			}
		}
		if !e.Chained() {
			t.Error("there is no chain")
		}
	})
}
