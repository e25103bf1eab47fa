package forder_test

import (
	"slices"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/forder"
)

// recorded is the constructs of a run.
type recorded struct {
	construct.Run
	constructs []reach.Construct
	started    []reach.Strand
}

func (r *recorded) do(kind reach.Kind, t reach.Task, arg uint32) reach.Task {
	c, refusal := r.Do(kind, t, arg)
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

// fib is the recursive Fibonacci program; each call is forked and joined so.
func (r *recorded) fib(t reach.Task, n int, fork, join reach.Kind) {
	if n < 2 {
		return
	}
	child := r.do(fork, t, 0)
	r.fib(child, n-1, fork, join)
	r.do(reach.End, child, 0)
	r.fib(t, n-2, fork, join)
	r.do(join, t, uint32(child))
}

// wavefront is a grid of asyncs in one finish, each of which awaits the promises of its
// upper and its left neighbour, and sets its own.
func (r *recorded) wavefront(side int) {
	r.do(reach.Finish, 1, 0)
	done := make([]uint32, side*side)
	for i := range done {
		t := r.do(reach.Async, 1, 0)
		if i >= side {
			r.do(reach.Await, t, done[i-side])
		}
		if i%side > 0 {
			r.do(reach.Await, t, done[i-1])
		}
		done[i] = r.NewPromise()
		r.do(reach.Set, t, done[i])
		r.do(reach.End, t, 0)
	}
	r.do(reach.EndFinish, 1, 0)
}

// BenchmarkEngine is the cost of a construct, of a query about a random pair, and the
// memory: fib(22) with spawns and with futures, and a grid of 60 by 60 promises.
func BenchmarkEngine(b *testing.B) {
	for _, c := range []struct {
		name string
		run  func(r *recorded)
	}{
		{"fib-spawn", func(r *recorded) { r.fib(1, 22, reach.Spawn, reach.Sync) }},
		{"fib-futures", func(r *recorded) { r.fib(1, 22, reach.Create, reach.Get) }},
		{"wavefront", func(r *recorded) { r.wavefront(60) }},
	} {
		r := &recorded{started: []reach.Strand{reach.Root}}
		r.Init(1 << 20)
		c.run(r)
		b.Run(c.name+"/construct", func(b *testing.B) {
			var bytes uint64
			for n := 0; n < b.N; n += len(r.constructs) {
				e := r.feed(b)
				bytes = e.Bytes()
				e.Close()
			}
			b.ReportMetric(float64(bytes)/float64(len(r.started)), "bytes/strand")
		})
		b.Run(c.name+"/query", func(b *testing.B) {
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

// feed runs all constructs through a new engine.
func (r *recorded) feed(b *testing.B) *forder.Engine {
	e := new(forder.Engine)
	e.Init(r.Tasks()+1, r.Strands()+1)
	for i := range r.constructs {
		if refusal := e.Do(&r.constructs[i]); refusal.Refused() {
			b.Fatal(refusal.Why)
		}
	}
	return e
}
