// Package tasks multiplies matrices with futures.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/task"
)

type none = struct{}

// Run computes p.C.
func Run(p *dense.Product) {
	m := &multiplication{p}
	if p.General || p.Racy {
		m.halves(p.C, p.A, p.B, p.N)
		return
	}
	m.quarters(p.C, p.A, p.B, p.N)
}

type multiplication struct{ *dense.Product }

// quarters uses a future for each quarter of c, got once.
func (m *multiplication) quarters(c, a, b dense.Matrix, n int) {
	if n <= m.Base {
		dense.MultiplyAdd(c, a, b, n)
		return
	}
	h := n / 2
	var done [4]*task.Future[none]
	for q := range done {
		i, j := q/2, q%2
		done[q] = task.Create(func() (_ none) {
			quarter := c.Quarter(i, j, h)
			m.quarters(quarter, a.Quarter(i, 0, h), b.Quarter(0, j, h), h)
			m.quarters(quarter, a.Quarter(i, 1, h), b.Quarter(1, j, h), h)
			return
		})
	}
	for _, f := range done {
		f.Get()
	}
}

// halves uses a future for each of the eight products. The second of a quarter gets
// the first, and so does who waits for all: those are general futures.
func (m *multiplication) halves(c, a, b dense.Matrix, n int) {
	if n <= m.Base {
		dense.MultiplyAdd(c, a, b, n)
		return
	}
	h := n / 2
	var done [8]*task.Future[none]
	for q := range 4 {
		i, j := q/2, q%2
		quarter := c.Quarter(i, j, h)
		first := task.Create(func() (_ none) {
			m.halves(quarter, a.Quarter(i, 0, h), b.Quarter(0, j, h), h)
			return
		})
		done[q], done[4+q] = first, task.Create(func() (_ none) {
			if !m.Racy {
				first.Get()
			}
			m.halves(quarter, a.Quarter(i, 1, h), b.Quarter(1, j, h), h)
			return
		})
	}
	for _, f := range done {
		f.Get()
	}
}
