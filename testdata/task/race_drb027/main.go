// Two tasks write one variable and nothing orders them.
package main

import "github.com/detrace/detrace/task"

func main() {
	i := 0
	var g task.Group
	g.Spawn(func() {
		i = 1 // want race(i: write)
	})
	g.Spawn(func() {
		i = 2 // want race(i: write)
	})
	g.Sync()
	use(i)
}

//go:noinline
func use(int) {}
