// Main awaits the first task to read its result, and all tasks for that of the second.
package main

import "github.com/detrace/detrace/task"

func main() {
	x, y := 0, 2
	first := task.NewPromise[bool]()
	var g task.Group
	g.Spawn(func() {
		x++
		first.Set(true)
	})
	g.Spawn(func() {
		y--
	})
	first.Get()
	use(x)
	g.Sync()
	use(y)
}

//go:noinline
func use(int) {}
