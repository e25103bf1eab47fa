// A counter on the heap is incremented by the tasks themselves.
package main

import "github.com/detrace/detrace/task"

func main() {
	counter := new(int)
	var g task.Group
	for range 4 {
		g.Spawn(func() {
			*counter++ // want race(counter)
		})
	}
	g.Sync()
	use(*counter)
}

//go:noinline
func use(int) {}
