// Package goroutines multiplies matrices with a WaitGroup for each division.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/dense"
)

// Run computes p.C.
func Run(p *dense.Product) { multiply(p, p.C, p.A, p.B, p.N) }

func multiply(p *dense.Product, c, a, b dense.Matrix, n int) {
	if n <= p.Base {
		dense.MultiplyAdd(c, a, b, n)
		return
	}
	h := n / 2
	var wg sync.WaitGroup
	for q := range 4 {
		i, j := q/2, q%2
		quarter := c.Quarter(i, j, h)
		first := func() { multiply(p, quarter, a.Quarter(i, 0, h), b.Quarter(0, j, h), h) }
		second := func() { multiply(p, quarter, a.Quarter(i, 1, h), b.Quarter(1, j, h), h) }
		if p.Racy {
			wg.Go(first)
			wg.Go(second)
			continue
		}
		wg.Go(func() {
			first()
			second()
		})
	}
	wg.Wait()
}
