// Package tasks relaxes blocks with a task and a promise for each block and iteration.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/poisson"
	"github.com/detrace/detrace/task"
)

type promise = *task.Promise[struct{}]

// Run does all iterations.
func Run(p *poisson.Problem) {
	task.Finish(func(s *task.Scope) {
		var before []promise
		for it := 1; it <= p.Steps; it++ {
			before = iterate(s, p, it, before)
		}
	})
}

// iterate starts an iteration and returns its promises, row by row.
func iterate(s *task.Scope, p *poisson.Problem, it int, before []promise) []promise {
	n := p.Blocks()
	now := make([]promise, n*n)
	for b := range now {
		done := task.NewPromise[struct{}]()
		now[b] = done
		s.Async(func() {
			if before != nil {
				await(p, before, b/n, b%n)
			}
			p.Relax(it, b/n, b%n)
			done.Set(struct{}{})
		})
	}
	return now
}

// await waits for a block and its neighbours. They have read what it will replace, too.
func await(p *poisson.Problem, before []promise, i, j int) {
	n := p.Blocks()
	before[i*n+j].Get()
	if i > 0 && !p.Racy {
		before[(i-1)*n+j].Get()
	}
	if i < n-1 {
		before[(i+1)*n+j].Get()
	}
	if j > 0 {
		before[i*n+j-1].Get()
	}
	if j < n-1 {
		before[i*n+j+1].Get()
	}
}
