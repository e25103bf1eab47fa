// A task panics after it raced.
//
// exit 2
package main

import "github.com/detrace/detrace/task"

func main() {
	x := 0
	var g task.Group
	g.Spawn(func() {
		x = 1 // want race(x: write)
		panic("always")
	})
	use(x) // want race(x: read)
	g.Sync()
}

//go:noinline
func use(int) {}
