package rsketch_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/reach"
)

// tree is a recursion of spawns in depth-first order, which calls leaf at each leaf.
func (r *run) tree(t reach.Task, depth int, leaf func(reach.Task)) {
	if depth == 0 {
		leaf(t)
		return
	}
	child := r.spawn(t)
	r.tree(child, depth-1, leaf)
	r.end(child)
	r.tree(t, depth-1, leaf)
	r.sync(t)
}

// Per spawn and sync of a run without non-SP edges.
func BenchmarkSpawnSync(b *testing.B) {
	const depth = 18
	for b.Loop() {
		r := newRun(b, 1<<depth+2, 3<<depth)
		r.tree(root, depth, func(reach.Task) {})
		b.ReportMetric(float64(r.engine.Bytes())/float64(r.run.Strands()), "B/strand")
		r.close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(1<<depth), "ns/spawn+sync")
}

// edges runs a tree of about a million strands, k non-SP edges in it: at k/2 leaves,
// equally far apart, a future is created and an earlier one is got, that of the leaf
// before or a random one.
func edges(b *testing.B, k int, random bool) *run {
	const depth = 18
	r := newRun(b, 1<<depth+uint32(k)+2, 1<<20+4*uint32(k))
	leaves, futures := 0, []reach.Task(nil)
	source := rand.New(rand.NewPCG(1, 1))
	r.tree(root, depth, func(t reach.Task) {
		leaves++
		if k == 0 || leaves*(k/2)>>depth == (leaves-1)*(k/2)>>depth {
			return
		}
		future := r.create(t)
		r.end(future)
		if n := len(futures); n > 0 {
			i := n - 1
			if random {
				i = source.IntN(n)
			}
			r.get(t, futures[i])
		}
		futures = append(futures, future)
	})
	return r
}

// The cost of k non-SP edges in a run of a million strands, beside that of the run
// without them, which is k=0.
func BenchmarkNonSP(b *testing.B) {
	for _, random := range []bool{false, true} {
		for _, k := range []int{0, 10, 100, 1000, 10_000, 30_000, 100_000} {
			b.Run(fmt.Sprintf("random=%v/k=%d", random, k), func(b *testing.B) {
				for b.Loop() {
					r := edges(b, k, random)
					b.ReportMetric(float64(r.engine.Bytes())/1e6, "MB")
					b.ReportMetric(float64(r.engine.Anchors()), "anchors")
					b.ReportMetric(float64(r.engine.Unions()), "unions")
					r.close()
				}
			})
		}
	}
}

// Queries from the strands of a run with 10,000 non-SP edges to its last.
func BenchmarkPrecedes(b *testing.B) {
	r := edges(b, 10_000, false)
	n, now := r.run.Strands(), r.now(root)
	v := reach.StrandOf(root, now.Index()-5)
	i := uint32(1)
	for b.Loop() {
		i = i*1664525 + 1013904223
		r.precedes(reach.StrandOf(1, 1+i%(n-1)), v)
	}
}
