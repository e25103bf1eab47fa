// Package goroutines simulates with a WaitGroup for each village and day.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/health"
)

// Run simulates all days.
func Run(p *health.Problem) {
	for range p.Steps {
		simulate(p.Top)
		p.End()
	}
}

func simulate(v *health.Village) {
	var wg sync.WaitGroup
	for _, below := range v.Below {
		wg.Go(func() { simulate(below) })
	}
	wg.Wait()
	v.Day()
}
