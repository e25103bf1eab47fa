// Every iteration increments a variable that only an ordered loop could keep.
package main

import "github.com/detrace/detrace/task"

func main() {
	x := 0
	var g task.Group
	for range 100 {
		g.Spawn(func() {
			x++ // want race(x)
		})
	}
	g.Sync()
}
