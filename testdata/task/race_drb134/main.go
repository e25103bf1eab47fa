// The second task awaits the first, as main does, but main does not await the second.
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
		first.Get()
		y -= x // want race(y: write)
	})
	first.Get()
	use(x)
	use(y) // want race(y: read)
	g.Sync()
}

//go:noinline
func use(int) {}
