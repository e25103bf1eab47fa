// A variable carries a value from iteration to iteration.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a [100]int
	tmp := 10
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			a[i] = tmp     // want race(rw: read)
			tmp = a[i] + i // want race(rw: write) race(ww)
		})
	}
	g.Sync()
}
