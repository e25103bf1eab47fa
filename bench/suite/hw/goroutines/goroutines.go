// Package goroutines tracks points with a goroutine for each, frame by frame.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/hw"
)

// Run tracks all points.
func Run(p *hw.Problem) {
	for frame := 1; frame < p.N; frame++ {
		var wg sync.WaitGroup
		for i := range p.Points {
			wg.Go(func() { p.Track(&p.Points[i], frame, 0, 0) })
		}
		wg.Wait()
	}
}
