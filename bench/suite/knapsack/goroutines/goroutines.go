// Package goroutines fills the sack with a WaitGroup for each choice.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/knapsack"
)

// Run finds p.Best.
func Run(p *knapsack.Problem) { p.Found(try(p, 0, p.Capacity, 0)) }

func try(p *knapsack.Problem, i, room, value int) int {
	if len(p.Items)-i <= p.Base {
		return p.Try(i, room, value)
	}
	if p.Hopeless(i, room, value) {
		return 0
	}
	var with, without int
	var wg sync.WaitGroup
	wg.Go(func() { without = try(p, i+1, room, value) })
	if item := p.Items[i]; item.Weight <= room {
		with = try(p, i+1, room-item.Weight, value+item.Value)
	}
	wg.Wait()
	return max(with, without)
}
