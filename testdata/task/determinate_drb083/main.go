// Four replicas call a function with a local variable.
package main

import "github.com/detrace/detrace/task"

func main() {
	var g task.Group
	for range 4 {
		g.Spawn(func() {
			increment()
		})
	}
	g.Sync()
}

func increment() {
	q := 0
	q++
	use(q)
}

//go:noinline
func use(int) {}
