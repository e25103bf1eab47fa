// Package tasks does Strassen's method with a promise for each sum, product and
// quarter.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/bench/suite/strassen"
	"github.com/detrace/detrace/task"
)

type none = struct{}

// Run computes p.C.
func Run(p *dense.Product) {
	task.Finish(func(s *task.Scope) {
		m := &multiplication{p, s}
		m.multiply(p.C, p.A, p.B, p.N)
	})
}

type multiplication struct {
	*dense.Product
	scope *task.Scope
}

// multiply returns when c is complete.
func (m *multiplication) multiply(c, a, b dense.Matrix, n int) {
	if n <= m.Base {
		dense.MultiplyAdd(c, a, b, n)
		return
	}
	h := n / 2
	var products [7]dense.Matrix
	var ready [7]*task.Promise[none]
	for i := range products {
		products[i], ready[i] = dense.New(h), task.NewPromise[none]()
		left, right := m.factor(a, strassen.Factors[i][0], h), m.factor(b, strassen.Factors[i][1], h)
		m.scope.Async(func() {
			m.multiply(products[i], left.Get(), right.Get(), h)
			ready[i].Set(none{})
		})
	}
	var quarters [4]*task.Promise[none]
	for q := range quarters {
		quarters[q] = task.NewPromise[none]()
		m.scope.Async(func() {
			for _, part := range strassen.Parts[q] {
				if !m.Racy {
					ready[part.Product].Get()
				}
			}
			strassen.Assemble(c, q, &products, h)
			quarters[q].Set(none{})
		})
	}
	for _, q := range quarters {
		q.Get()
	}
}

// factor is set at once if it is one quarter, and else by a task.
func (m *multiplication) factor(from dense.Matrix, terms []strassen.Term, h int) *task.Promise[dense.Matrix] {
	sum := task.NewPromise[dense.Matrix]()
	if len(terms) == 1 {
		sum.Set(strassen.Factor(from, terms, h))
		return sum
	}
	m.scope.Async(func() { sum.Set(strassen.Factor(from, terms, h)) })
	return sum
}
