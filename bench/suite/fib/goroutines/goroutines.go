// Package goroutines computes a Fibonacci number with a WaitGroup for each sum.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/fib"
)

// Run computes p.Value.
func Run(p *fib.Problem) { number(p, p.N, &p.Value) }

func number(p *fib.Problem, n int, value *int) {
	if n <= p.Base {
		*value = fib.Number(n)
		return
	}
	var x, y int
	var wg sync.WaitGroup
	wg.Go(func() { number(p, n-1, &x) })
	number(p, n-2, &y)
	wg.Wait()
	if p.Racy {
		p.Sums++
	}
	*value = x + y
}
