// The setter goes on after the set; what it does then is not awaited.
package main

import "github.com/detrace/detrace/task"

func main() {
	var g task.Group
	p := task.NewPromise[int]()
	x := 0
	g.Spawn(func() {
		p.Set(1)
		x = 1 // want race(x: write)
	})
	g.Spawn(func() {
		p.Get()
		use(x) // want race(x: read)
	})
	g.Sync()
}

//go:noinline
func use(int) {}
