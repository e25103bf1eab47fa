// Package tasks computes a Fibonacci number by spawn and sync.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/fib"
	"github.com/detrace/detrace/task"
)

// Run computes p.Value.
func Run(p *fib.Problem) { number(p, p.N, &p.Value) }

func number(p *fib.Problem, n int, value *int) {
	if n <= p.Base {
		*value = fib.Number(n)
		return
	}
	var x, y int
	var g task.Group
	g.Spawn(func() { number(p, n-1, &x) })
	number(p, n-2, &y)
	g.Sync()
	if p.Racy {
		p.Sums++
	}
	*value = x + y
}
