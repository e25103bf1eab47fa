// Package goroutines multiplies matrices with a WaitGroup for each phase.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/dense"
)

// Run computes p.C.
func Run(p *dense.Product) { multiply(p.C, p.A, p.B, p.N, p.Base) }

func multiply(c, a, b dense.Matrix, n, base int) {
	if n <= base {
		dense.MultiplyAdd(c, a, b, n)
		return
	}
	h := n / 2
	for k := range 2 {
		product := func(q int) {
			i, j := q/2, q%2
			multiply(c.Quarter(i, j, h), a.Quarter(i, k, h), b.Quarter(k, j, h), h, base)
		}
		var wg sync.WaitGroup
		for q := range 3 {
			wg.Go(func() { product(q) })
		}
		product(3)
		wg.Wait()
	}
}
