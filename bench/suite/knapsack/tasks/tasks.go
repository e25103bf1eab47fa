// Package tasks fills the sack with a promise for each choice.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/knapsack"
	"github.com/detrace/detrace/task"
)

// Run finds p.Best.
func Run(p *knapsack.Problem) {
	task.Finish(func(s *task.Scope) {
		p.Found(try(s, p, 0, p.Capacity, 0))
	})
}

func try(s *task.Scope, p *knapsack.Problem, i, room, value int) int {
	if len(p.Items)-i <= p.Base {
		return p.Try(i, room, value)
	}
	if p.Hopeless(i, room, value) {
		return 0
	}
	without := task.NewPromise[int]()
	s.Async(func() { without.Set(try(s, p, i+1, room, value)) })
	with := 0
	if item := p.Items[i]; item.Weight <= room {
		with = try(s, p, i+1, room-item.Weight, value+item.Value)
	}
	return max(with, without.Get())
}
