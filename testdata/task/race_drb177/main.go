// Fibonacci numbers where the third task awaits only one of its two siblings, and
// reads what both write.
package main

import "github.com/detrace/detrace/task"

func main() {
	use(fib(5))
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	var i, j, s int
	second := task.NewPromise[bool]()
	var g task.Group
	g.Spawn(func() {
		i = fib(n - 1) // want race(i: write)
	})
	g.Spawn(func() {
		j = fib(n - 2)
		second.Set(true)
	})
	g.Spawn(func() {
		second.Get()
		s = i + j // want race(i: read)
	})
	g.Sync()
	use(s)
	return i + j
}

//go:noinline
func use(int) {}
