// Main awaits the promise of the first task and reads what the second one writes.
package main

import "github.com/detrace/detrace/task"

func main() {
	x, y := 0, 2
	first := task.NewPromise[int]()
	var g task.Group
	g.Spawn(func() {
		x++
		first.Set(x)
	})
	g.Spawn(func() {
		y-- // want race(y: write)
	})
	use(first.Get())
	use(x)
	use(y) // want race(y: read)
	g.Sync()
}

//go:noinline
func use(int) {}
