// Every iteration writes the variable of which only the last value is wanted.
package main

import "github.com/detrace/detrace/task"

func main() {
	x := 0
	var g task.Group
	for i := range 100 {
		g.Spawn(func() {
			x = i // want race(x)
		})
	}
	g.Sync()
	use(x)
}

//go:noinline
func use(int) {}
