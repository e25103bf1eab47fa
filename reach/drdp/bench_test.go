package drdp_test

import (
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/reach"
)

// fib starts both halves and joins them.
func (p *program) fib(t reach.Task, n int) {
	if n < 2 {
		return
	}
	for i := 1; i <= 2; i++ {
		child := p.fork(reach.Spawn, t)
		p.fib(child, n-i)
		p.do(reach.End, child, 0)
	}
	p.do(reach.Sync, t, 0)
}

// grid is a wavefront: each of n*n tasks awaits three neighbours and sets a promise of its own.
// visit is called when a task has awaited them.
func (p *program) grid(n int, visit func(t reach.Task)) {
	promise := func(i, j int) uint32 { return uint32(i*n + j + 1) }
	for range n * n {
		p.NewPromise()
	}
	p.do(reach.Finish, 1, 0)
	for i := range n {
		for j := range n {
			t := p.fork(reach.Async, 1)
			if i > 0 {
				p.do(reach.Await, t, promise(i-1, j))
			}
			if j > 0 {
				p.do(reach.Await, t, promise(i, j-1))
			}
			if i > 0 && j > 0 {
				p.do(reach.Await, t, promise(i-1, j-1))
			}
			visit(t)
			p.do(reach.Set, t, promise(i, j))
			p.do(reach.End, t, 0)
		}
	}
	p.do(reach.EndFinish, 1, 0)
}

// whole measures runs with checking and numbering by package construct included.
func whole(b *testing.B, tasks uint32, run func(p *program)) {
	var p *program
	for range b.N {
		p = start(b, tasks)
		run(p)
	}
	constructs := p.Strands() // joins of n tasks count n times
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(constructs), "ns/strand")
	b.ReportMetric(float64(p.engine.Bytes())/float64(constructs), "B/strand")
	b.ReportMetric(float64(p.engine.Bytes())/float64(p.Tasks()), "B/task")
}

func BenchmarkFib(b *testing.B) {
	whole(b, 100_000, func(p *program) { p.fib(1, 22) })
}

func BenchmarkWavefront(b *testing.B) {
	whole(b, 200_000, func(p *program) { p.grid(300, func(reach.Task) {}) })
}

// BenchmarkPrecedesTree asks in the middle of fib about all that has run.
func BenchmarkPrecedesTree(b *testing.B) {
	p := start(b, 100_000)
	r := rand.New(rand.NewPCG(1, 1))
	p.fib(1, 20)
	t := p.fork(reach.Spawn, 1)
	p.fib(t, 18)
	t = p.fork(reach.Spawn, t)
	measure(b, p, t, func() reach.Strand { return p.Current(reach.Task(1 + r.IntN(int(p.Tasks())))) })
}

// BenchmarkPrecedesNeighbour asks in a wavefront about the neighbours, as a program
// without a race does.
func BenchmarkPrecedesNeighbour(b *testing.B) {
	const n = 300
	p := start(b, 200_000)
	r := rand.New(rand.NewPCG(1, 1))
	p.grid(n, func(t reach.Task) {
		if t != n*n {
			return
		}
		measure(b, p, t, func() reach.Strand {
			u := p.Current(t - []reach.Task{1, n, n + 1}[r.IntN(3)])
			return u - 1 // before its set
		})
	})
}

// BenchmarkPrecedesFar asks in a wavefront about all tasks, those beyond the front too.
func BenchmarkPrecedesFar(b *testing.B) {
	const n = 300
	p := start(b, 200_000)
	r := rand.New(rand.NewPCG(1, 1))
	p.grid(n, func(t reach.Task) {
		if t != n*n/2+n/2 {
			return
		}
		measure(b, p, t, func() reach.Strand {
			return p.Current(2+reach.Task(r.IntN(int(t)-2))) - 1
		})
	})
}

func measure(b *testing.B, p *program, t reach.Task, u func() reach.Strand) {
	yes, v := 0, p.Current(t)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if p.engine.Precedes(u(), v) {
			yes++
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(yes)/float64(b.N), "yes/query")
}
