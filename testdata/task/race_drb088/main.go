// A counter on the heap is incremented in a function.
package main

import "github.com/detrace/detrace/task"

func main() {
	counter := new(int)
	var g task.Group
	for range 4 {
		g.Spawn(func() {
			increment(counter)
		})
	}
	g.Sync()
	use(*counter)
}

func increment(counter *int) {
	*counter++ // want race(counter)
}

//go:noinline
func use(int) {}
