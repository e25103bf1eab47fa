// Fibonacci numbers where the join comes after the sum: it reads what the children
// may not have written yet.
package main

import "github.com/detrace/detrace/task"

func main() {
	use(fib(6))
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	var i, j int
	var g task.Group
	g.Spawn(func() {
		i = fib(n - 1) // want race(i: write)
	})
	g.Spawn(func() {
		j = fib(n - 2) // want race(j: write)
	})
	r := i + j // want race(i: read) race(j: read)
	g.Sync()
	return r
}

//go:noinline
func use(int) {}
