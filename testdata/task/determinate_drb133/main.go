// Main and the second task both read the first one's result once it is there.
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
		y -= x
	})
	first.Get()
	use(x)
	g.Sync()
	use(y)
}

//go:noinline
func use(int) {}
