// Fibonacci numbers: a third task awaits the promises of its two siblings.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	fmt.Println(fib(7))
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	var i, j, s int
	first, second := task.NewPromise[bool](), task.NewPromise[bool]()
	var g task.Group
	g.Spawn(func() {
		i = fib(n - 1)
		first.Set(true)
	})
	g.Spawn(func() {
		j = fib(n - 2)
		second.Set(true)
	})
	g.Spawn(func() {
		first.Get()
		second.Get()
		s = i + j
	})
	g.Sync()
	return s
}
