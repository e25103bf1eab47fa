// Package goroutines gathers with a goroutine for each part.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/gather"
)

// Run computes all sums.
func Run(p *gather.Problem) {
	var wg sync.WaitGroup
	for part := range p.Parts() {
		wg.Go(func() { p.Part(part) })
	}
	wg.Wait()
}
