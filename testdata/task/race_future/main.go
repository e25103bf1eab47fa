// The result is waited for, but of the wrong future.
package main

import "github.com/detrace/detrace/task"

func main() {
	x := 0
	wrong := task.Create(func() int { return 1 })
	right := task.Create(func() int {
		x = 1 // want race(x: write)
		return 2
	})
	wrong.Get()
	use(x) // want race(x: read)
	right.Get()
}

//go:noinline
func use(int) {}
