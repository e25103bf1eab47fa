package jointree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
)

// Keys are in the order of ways, number by number, where they differ before the shorter one ends.
func TestKeysAreInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	way := func() []uint64 {
		w := make([]uint64, r.IntN(8))
		for i := range w {
			w[i] = r.Uint64N(1 << r.IntN(34))
			if r.IntN(2) == 0 {
				w[i] = r.Uint64N(3)
			}
		}
		return w
	}
	var e Engine
	e.Init(2)
	defer e.Close()
	differ := 0
	for range 200_000 {
		a, b := way(), way()
		n := r.IntN(min(len(a), len(b)) + 1)
		copy(b[:n], a)
		for task, w := range [][]uint64{a, b} {
			k := key(0)
			for _, v := range w {
				k = k.and(v, maxKey)
			}
			*e.keys.At(uint32(task)) = uint64(k)
		}
		yes, known := e.ahead(0, 1)
		n = min(len(a), len(b))
		if c := slices.Compare(a[:n], b[:n]); known && (c == 0 || yes != (c < 0)) {
			t.Fatalf("%v is ahead of %v: %v, %v", a, b, yes, known)
		}
		if known {
			differ++
		}
	}
	if differ < 80_000 {
		t.Errorf("only %d pairs of keys differ", differ)
	}
}

// TestKeysAreWays compares what keys say of tasks with what one finds by walking, in random trees of tasks some of
// which are in chains, and which are reclaimed now and then.
func TestKeysAreWays(t *testing.T) {
	first, count := soak.Seeds(200)
	known, pairs, chained := 0, 0, 0
	for seed := first; seed < first+count; seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		var e Engine
		e.Init(1 << 10)
		if seed%3 == 0 {
			e.Cramp()
		} else {
			e.chainFrom = 0
		}
		live := []reach.Task{e.Root()}
		ob := [4]Object{e.NewObject(), e.NewObject(), e.NewObject(), e.NewObject()}
		for range 300 {
			u := live[r.IntN(len(live))]
			switch n := r.IntN(20); {
			case n < 6:
				live = append(live, e.Fork(u))
			case n < 9:
				e.Release(u, ob[r.IntN(len(ob))])
			case n < 14:
				e.Acquire(live[max(0, len(live)-1-r.IntN(4))], ob[r.IntN(len(ob))])
			case n < 15:
				e.SetIndex(u, e.Strand(u).Index()+1+r.Uint32N(1<<r.IntN(12)))
			case n < 18 && len(live) > 3:
				i := 1 + r.IntN(len(live)-1)
				e.End(live[i])
				live = slices.Delete(live, i, i+1)
			case n < 19 && r.IntN(8) == 0:
				e.BeginMark()
				e.Sweep()
			}
		}
		for c := uint32(rootTask); c <= e.taskIDs.fresh; c++ {
			for v := uint32(rootTask); v <= e.taskIDs.fresh; v++ {
				if c == v || !e.used(c) || !e.used(v) {
					continue
				}
				pairs++
				yes, ok := e.ahead(c, v)
				if !ok {
					continue
				}
				known++
				if _, x, y := e.relate(c, v); x == 0 || y == 0 || yes != (e.rank(x) < e.rank(y)) {
					t.Fatalf("seed %d: %d is ahead of %d: %v, by the tree %d and %d", seed, c, v, yes, x, y)
				}
			}
		}
		chained += int(e.chained)
		e.Close()
	}
	if known < pairs/2 || chained < int(count)/4 {
		t.Errorf("keys tell of %d of %d pairs, %d trees have chains", known, pairs, chained)
	}
}
