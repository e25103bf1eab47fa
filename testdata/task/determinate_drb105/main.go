// Fibonacci numbers with a task for each call.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	fmt.Println(fib(10))
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	var i, j int
	var g task.Group
	g.Spawn(func() { i = fib(n - 1) })
	g.Spawn(func() { j = fib(n - 2) })
	g.Sync()
	return i + j
}
