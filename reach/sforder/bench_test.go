package sforder_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/sforder"
)

// recorded is the constructs of a run.
type recorded struct {
	construct.Run
	constructs []reach.Construct
	started    []reach.Strand
}

func record(tasks uint32) *recorded {
	r := &recorded{started: []reach.Strand{reach.Root}}
	r.Init(tasks)
	return r
}

func (r *recorded) do(kind reach.Kind, t, arg reach.Task) reach.Task {
	c, refusal := r.Do(kind, t, uint32(arg))
	if refusal.Refused() {
		panic(refusal.Why)
	}
	if c == nil { // what was spawned is joined already
		return 0
	}
	kept := *c
	kept.Joined = slices.Clone(c.Joined)
	r.constructs = append(r.constructs, kept)
	for _, s := range []reach.Strand{c.First, c.After} {
		if s != 0 {
			r.started = append(r.started, s)
		}
	}
	return c.Other
}

// feed runs all constructs through a new engine.
func (r *recorded) feed(b *testing.B) *sforder.Engine {
	e := new(sforder.Engine)
	e.Init(r.Tasks()+1, r.Strands()+1)
	for i := range r.constructs {
		if refusal := e.Do(&r.constructs[i]); refusal.Refused() {
			b.Fatal(refusal.Why)
		}
	}
	return e
}

// fib is the recursive Fibonacci program; futures says that calls are created and got
// instead of spawned and joined.
func (r *recorded) fib(t reach.Task, n int, futures bool) {
	if n < 2 {
		return
	}
	fork := reach.Spawn
	if futures {
		fork = reach.Create
	}
	child := r.do(fork, t, 0)
	r.fib(child, n-1, futures)
	r.do(reach.End, child, 0)
	r.fib(t, n-2, futures)
	if futures {
		r.do(reach.Get, t, child)
	} else {
		r.do(reach.Sync, t, 0)
	}
}

// BenchmarkFib is the cost of a construct, of a query about a random pair, and the
// memory, of fib(22) with and without futures.
func BenchmarkFib(b *testing.B) {
	for _, futures := range []bool{false, true} {
		r := record(1 << 20)
		r.fib(1, 22, futures)
		name := map[bool]string{false: "spawn", true: "futures"}[futures]
		b.Run(name+"/construct", func(b *testing.B) {
			var bytes uint64
			for n := 0; n < b.N; n += len(r.constructs) {
				e := r.feed(b)
				bytes = e.Bytes()
				e.Close()
			}
			b.ReportMetric(float64(bytes)/float64(len(r.started)), "bytes/strand")
		})
		b.Run(name+"/query", func(b *testing.B) {
			e := r.feed(b)
			defer e.Close()
			b.ResetTimer()
			x := uint64(1)
			for range b.N {
				x = x*6364136223846793005 + 1442695040888963407
				u := r.started[x>>33%uint64(len(r.started))]
				v := r.started[x>>13%uint64(len(r.started))]
				e.Precedes(u, v)
			}
		})
		r.Close()
	}
}

// pool is n constructs, 2k of which are those of futures that each do a share of the
// rest and are got in order: the last few run when one is created.
func pool(n, k int) *recorded {
	r := record(uint32(n) + 2)
	share := (n/k - 3) / 3
	var futures []reach.Task
	for i := range k {
		f := r.do(reach.Create, 1, 0)
		r.spawns(f, share)
		if i >= 4 {
			r.do(reach.Get, f, futures[i-4])
		}
		r.do(reach.End, f, 0)
		futures = append(futures, f)
	}
	for _, f := range futures[max(0, k-4):] {
		r.do(reach.Get, 1, f)
	}
	return r
}

// spawns is constructs of spawned tasks, three for each.
func (r *recorded) spawns(t reach.Task, n int) {
	for range n {
		c := r.do(reach.Spawn, t, 0)
		r.do(reach.End, c, 0)
		r.do(reach.Sync, t, 0)
	}
}

// tree is n constructs, 2k of which are those of futures whose every second half is
// got in a spawned task, so that syncs unite sets.
func tree(n, k int) *recorded {
	r := record(uint32(n) + 2)
	share := (n/k - 5) / 3
	var half func(t reach.Task, futures []reach.Task)
	half = func(t reach.Task, futures []reach.Task) {
		if len(futures) == 1 {
			r.do(reach.Get, t, futures[0])
			r.spawns(t, share)
			return
		}
		c := r.do(reach.Spawn, t, 0)
		half(c, futures[:len(futures)/2])
		r.do(reach.End, c, 0)
		half(t, futures[len(futures)/2:])
		r.do(reach.Sync, t, 0)
	}
	var futures []reach.Task
	for range k {
		f := r.do(reach.Create, 1, 0)
		r.do(reach.End, f, 0)
		futures = append(futures, f)
	}
	half(1, futures)
	return r
}

// BenchmarkFutures is the cost of a million constructs over k, the number of futures,
// and the exponent x of the best fit of k^x to it.
func BenchmarkFutures(b *testing.B) {
	const n = 1_000_000
	for _, shape := range []struct {
		name string
		make func(n, k int) *recorded
	}{{"pool", pool}, {"tree", tree}} {
		cost := map[int]float64{}
		for k := 10; k <= 100_000; k *= 10 {
			r := shape.make(n, k)
			b.Run(fmt.Sprintf("%s/k=%d", shape.name, k), func(b *testing.B) {
				for range b.N {
					start := time.Now()
					e := r.feed(b)
					now := float64(time.Since(start).Nanoseconds()) / float64(len(r.constructs))
					if best, ok := cost[k]; !ok || now < best {
						cost[k] = now
					}
					b.ReportMetric(float64(e.Bytes())/(1<<20), "MB")
					b.ReportMetric(float64(e.Sets()), "pieces")
					e.Close()
				}
				b.ReportMetric(cost[k], "ns/construct")
			})
			r.Close()
		}
		b.Run(shape.name+"/fit", func(b *testing.B) {
			for range b.N {
				b.ReportMetric(exponent(cost), "exponent")
			}
		})
	}
}

// exponent is the slope of the least-squares line through the logarithms.
func exponent(points map[int]float64) float64 {
	var sx, sy, sxx, sxy float64
	for x, y := range points {
		lx, ly := math.Log(float64(x)), math.Log(y)
		sx, sy, sxx, sxy = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	n := float64(len(points))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
