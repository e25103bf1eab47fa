package order_test

import (
	"slices"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/order"
	"github.com/detrace/detrace/reach/structtest"
)

// recorded is the constructs of a run.
type recorded struct {
	construct.Run
	constructs []reach.Construct
	started    []reach.Strand
}

func (r *recorded) do(kind reach.Kind, t reach.Task) reach.Task {
	c, refusal := r.Do(kind, t, 0)
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

// fib is the recursive Fibonacci program of spawns, or of asyncs in a finish each.
func (r *recorded) fib(t reach.Task, n int, fork reach.Kind) {
	if n < 2 {
		return
	}
	if fork == reach.Async {
		r.do(reach.Finish, t)
	}
	child := r.do(fork, t)
	r.fib(child, n-1, fork)
	r.do(reach.End, child)
	r.fib(t, n-2, fork)
	if fork == reach.Async {
		r.do(reach.EndFinish, t)
	} else {
		r.do(reach.Sync, t)
	}
}

// feed runs all constructs through a new engine.
func (r *recorded) feed(b *testing.B, fresh structtest.New) *order.Engine {
	e := fresh(r.Tasks()+1, r.Strands()+1).(*order.Engine)
	for i := range r.constructs {
		if refusal := e.Do(&r.constructs[i]); refusal.Refused() {
			b.Fatal(refusal.Why)
		}
	}
	return e
}

// BenchmarkFib is the cost of a construct, of a query about a random pair, and the
// memory, of fib(22).
func BenchmarkFib(b *testing.B) {
	for _, fork := range []reach.Kind{reach.Spawn, reach.Async} {
		r := &recorded{started: []reach.Strand{reach.Root}}
		r.Init(1 << 20)
		r.fib(1, 22, fork)
		for _, way := range ways {
			b.Run(fork.String()+"/"+way.name+"/construct", func(b *testing.B) {
				var bytes uint64
				for n := 0; n < b.N; n += len(r.constructs) {
					e := r.feed(b, way.fresh)
					bytes = e.Bytes()
					e.Close()
				}
				b.ReportMetric(float64(bytes)/float64(len(r.started)), "bytes/strand")
			})
			b.Run(fork.String()+"/"+way.name+"/query", func(b *testing.B) {
				e := r.feed(b, way.fresh)
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
		}
		r.Close()
	}
}
