// Package tasks multiplies matrices with a promise for each product.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/task"
)

type none = struct{}

// Run computes p.C.
func Run(p *dense.Product) {
	task.Finish(func(s *task.Scope) { multiply(s, p.C, p.A, p.B, p.N, p.Base) })
}

func multiply(s *task.Scope, c, a, b dense.Matrix, n, base int) {
	if n <= base {
		dense.MultiplyAdd(c, a, b, n)
		return
	}
	h := n / 2
	for k := range 2 {
		product := func(q int) {
			i, j := q/2, q%2
			multiply(s, c.Quarter(i, j, h), a.Quarter(i, k, h), b.Quarter(k, j, h), h, base)
		}
		var done [3]*task.Promise[none]
		for q := range done {
			done[q] = task.NewPromise[none]()
			s.Async(func() {
				product(q)
				done[q].Set(none{})
			})
		}
		product(3)
		for _, p := range done {
			p.Get()
		}
	}
}
