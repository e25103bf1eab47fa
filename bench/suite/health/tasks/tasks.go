// Package tasks simulates with a task and a promise for each village and day.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/health"
	"github.com/detrace/detrace/task"
)

type promise = *task.Promise[struct{}]

// Run simulates all days.
func Run(p *health.Problem) {
	task.Finish(func(s *task.Scope) {
		for range p.Steps {
			simulate(s, p.Top)
			p.End()
		}
	})
}

func simulate(s *task.Scope, v *health.Village) {
	done := make([]promise, len(v.Below))
	for i, below := range v.Below {
		done[i] = task.NewPromise[struct{}]()
		s.Async(func() {
			simulate(s, below)
			done[i].Set(struct{}{})
		})
	}
	for _, below := range done {
		below.Get()
	}
	v.Day()
}
