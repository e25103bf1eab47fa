// The sum is read before the sync.
package main

import "github.com/detrace/detrace/task"

func main() {
	var g task.Group
	x := 0
	g.Spawn(func() {
		x = 1 // want race(x: write)
	})
	use(x) // want race(x: read)
	g.Sync()
}

//go:noinline
func use(int) {}
