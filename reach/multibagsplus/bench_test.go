package multibagsplus_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/multibagsplus"
)

// fib spawns both halves and syncs.
func (p *program) fib(t reach.Task, n int) {
	if n < 2 {
		return
	}
	for i := 1; i <= 2; i++ {
		p.fork(reach.Spawn, t, func(child reach.Task) { p.fib(child, n-i) })
	}
	p.do(reach.Sync, t, 0)
}

// BenchmarkFib is a whole run without futures: checking and numbering by package
// construct included.
func BenchmarkFib(b *testing.B) {
	const n, tasks = 24, 150049
	var bytes uint64
	for b.Loop() {
		p := start(b, tasks+1)
		p.fib(1, n)
		bytes = p.engine.Bytes()
		p.close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/task")
	b.ReportMetric(float64(bytes)/tasks, "bytes/task")
}

// BenchmarkFork is the engine alone: a task is started, returns and is joined.
func BenchmarkFork(b *testing.B) {
	for _, c := range []struct {
		name       string
		fork, join reach.Kind
	}{{"spawn", reach.Spawn, reach.Sync}, {"create", reach.Create, reach.Get}} {
		b.Run(c.name, func(b *testing.B) {
			const room = 1 << 18
			e := new(multibagsplus.Engine)
			e.Init(room, 4*room)
			before := reach.Root
			joined := []reach.Joined{{}}
			b.ReportAllocs()
			t := reach.Task(1)
			for b.Loop() {
				if t++; t == room {
					e.Close()
					e.Init(room, 4*room)
					t, before = 2, reach.Root
				}
				first, continuation, after := reach.StrandOf(t, before.Index()+1), before+2, before+3
				e.Do(&reach.Construct{Kind: c.fork, Task: 1, Other: t, Before: before, First: first, After: continuation})
				e.Do(&reach.Construct{Kind: reach.End, Task: t, Before: first})
				joined[0] = reach.Joined{Task: t, Into: 1, Fork: before, First: first, Continuation: continuation, Last: first}
				if refusal := e.Do(&reach.Construct{Kind: c.join, Task: 1, Other: t, Before: continuation, After: after, Source: first, Joined: joined}); refusal.Refused() {
					b.Fatal(refusal.Why)
				}
				before = after
			}
			e.Close()
		})
	}
}

// The programs of k creates and gets, half of each. They return futures, of which
// something may be asked.
var futurePrograms = []struct {
	name string
	run  func(p *program, k int) []reach.Task
}{
	{"chain", func(p *program, k int) (futures []reach.Task) { // each got at once
		for range k / 2 {
			f := p.fork(reach.Create, 1, empty)
			p.do(reach.Get, 1, f)
			futures = append(futures, f)
		}
		return futures
	}},
	{"fan", func(p *program, k int) (futures []reach.Task) { // all alive, got last first
		for range k / 2 {
			futures = append(futures, p.fork(reach.Create, 1, empty))
		}
		for i := range futures {
			p.do(reach.Get, 1, futures[len(futures)-1-i])
		}
		return futures
	}},
	{"loop", func(p *program, k int) (futures []reach.Task) { // each made in a spawned task, one sync
		for range k / 2 {
			p.fork(reach.Spawn, 1, func(t reach.Task) { futures = append(futures, p.fork(reach.Create, t, empty)) })
		}
		p.do(reach.Sync, 1, 0)
		for _, f := range futures {
			p.do(reach.Get, 1, f)
		}
		return futures
	}},
	{"tree", func(p *program, k int) (futures []reach.Task) { // each made at a leaf of nested spawns
		var split func(t reach.Task, n int)
		split = func(t reach.Task, n int) {
			if n <= 1 {
				futures = append(futures, p.fork(reach.Create, t, empty))
				return
			}
			p.fork(reach.Spawn, t, func(child reach.Task) { split(child, n/2) })
			split(t, n-n/2)
			p.do(reach.Sync, t, 0)
		}
		split(1, k/2)
		for _, f := range futures {
			p.do(reach.Get, 1, f)
		}
		return futures
	}},
	{"wavefront", func(p *program, k int) (futures []reach.Task) { // a square: each gets its left and upper neighbour
		side := max(2, int(math.Sqrt(float64(k)/3)))
		for i := range side * side {
			futures = append(futures, p.fork(reach.Create, 1, func(t reach.Task) {
				if i%side > 0 {
					p.do(reach.Get, t, futures[i-1])
				}
				if i >= side {
					p.do(reach.Get, t, futures[i-side])
				}
			}))
		}
		return futures
	}},
	{"random", func(p *program, k int) (futures []reach.Task) { // each gets two random ones
		r := rand.New(rand.NewPCG(1, 5))
		for i := range k / 3 {
			futures = append(futures, p.fork(reach.Create, 1, func(t reach.Task) {
				for range min(i, 2) {
					p.do(reach.Get, t, futures[r.IntN(i)])
				}
			}))
		}
		return futures
	}},
}

// BenchmarkFutures is the cost of k creates and gets: time by each, and memory of it
// all; and then of a query about a random future that bags do not answer.
func BenchmarkFutures(b *testing.B) {
	for _, c := range futurePrograms {
		for k := 10; k <= 100_000; k *= 10 {
			b.Run(fmt.Sprintf("%s/k=%d", c.name, k), func(b *testing.B) {
				var bytes, sets uint64
				for b.Loop() {
					p := start(b, uint32(k)+3)
					c.run(p, k)
					bytes, sets = p.engine.Bytes(), uint64(p.engine.Attached())
					p.close()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k), "ns/edge")
				b.ReportMetric(float64(bytes)/1e6, "MB")
				b.ReportMetric(float64(sets), "sets")
			})
		}
	}
}

// BenchmarkPrecedes asks at the end of a run about the tasks of it in turn.
func BenchmarkPrecedes(b *testing.B) {
	const k = 100_000
	ask := func(b *testing.B, p *program, tasks []reach.Strand) {
		v := p.Current(1)
		yes := 0
		for i := 0; b.Loop(); i++ {
			if p.engine.Precedes(tasks[i%len(tasks)], v) {
				yes++
			}
		}
		b.ReportMetric(100*float64(yes)/float64(b.N), "%yes")
	}
	b.Run("fib", func(b *testing.B) {
		p := start(b, 1<<18)
		defer p.close()
		p.fib(1, 22)
		var tasks []reach.Strand
		for t := reach.Task(1); uint32(t) <= p.Tasks(); t++ {
			tasks = append(tasks, p.Current(t))
		}
		ask(b, p, tasks)
	})
	for _, c := range futurePrograms {
		b.Run(c.name, func(b *testing.B) {
			p := start(b, k+3)
			defer p.close()
			var tasks []reach.Strand
			for _, f := range c.run(p, k) {
				tasks = append(tasks, p.Current(f))
			}
			ask(b, p, tasks)
		})
	}
}
