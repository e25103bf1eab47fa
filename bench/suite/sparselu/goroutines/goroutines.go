// Package goroutines factors a matrix in phases with a WaitGroup.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/sparselu"
)

// Run factors p.
func Run(p *sparselu.Problem) {
	b := p.Blocks
	for k := range b {
		p.Factor(b[k][k])
		var wg sync.WaitGroup
		for j := k + 1; j < len(b); j++ {
			if b[k][j] != nil {
				wg.Go(func() { p.Forward(b[k][k], b[k][j]) })
			}
			if b[j][k] != nil {
				wg.Go(func() { p.Divide(b[k][k], b[j][k]) })
			}
		}
		wg.Wait()
		for i := k + 1; i < len(b); i++ {
			for j := k + 1; j < len(b); j++ {
				if left, above := b[i][k], b[k][j]; left != nil && above != nil {
					to := p.Fill(i, j)
					wg.Go(func() { p.Update(to, left, above) })
				}
			}
		}
		wg.Wait()
	}
}
