// Main awaits the first task only and then reads what the second one writes.
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
		y-- // want race(y: write)
	})
	first.Get()
	use(x)
	use(y) // want race(y: read)
	g.Sync()
}

//go:noinline
func use(int) {}
