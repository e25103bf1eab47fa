// Package goroutines relaxes blocks with a goroutine for each, which meet after every
// iteration; in the racy variant every second time only.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/poisson"
)

// Run does all iterations.
func Run(p *poisson.Problem) {
	n := p.Blocks()
	var wg sync.WaitGroup
	for it := 1; it <= p.Steps; it++ {
		for b := range n * n {
			wg.Go(func() { p.Relax(it, b/n, b%n) })
		}
		if !p.Racy || it%2 == 0 {
			wg.Wait()
		}
	}
	wg.Wait()
}
