// Package goroutines does Strassen's method with channels that are closed when a
// product is complete.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/bench/suite/strassen"
)

// Run computes p.C.
func Run(p *dense.Product) { multiply(p, p.C, p.A, p.B, p.N) }

func multiply(p *dense.Product, c, a, b dense.Matrix, n int) {
	if n <= p.Base {
		dense.MultiplyAdd(c, a, b, n)
		return
	}
	h := n / 2
	var products [7]dense.Matrix
	var ready [7]chan struct{}
	var wg sync.WaitGroup
	for i := range products {
		products[i], ready[i] = dense.New(h), make(chan struct{})
		wg.Go(func() {
			defer close(ready[i])
			left, right := strassen.Factor(a, strassen.Factors[i][0], h), strassen.Factor(b, strassen.Factors[i][1], h)
			multiply(p, products[i], left, right, h)
		})
	}
	for q := range 4 {
		wg.Go(func() {
			for _, part := range strassen.Parts[q] {
				if !p.Racy {
					<-ready[part.Product]
				}
			}
			strassen.Assemble(c, q, &products, h)
		})
	}
	wg.Wait()
}
