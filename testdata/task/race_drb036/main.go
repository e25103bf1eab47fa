// A variable carries a value through as many iterations as the input says.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 100 * len(os.Args)
	a := make([]int, n)
	tmp := 10
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			a[i] = tmp     // want race(rw: read)
			tmp = a[i] + i // want race(rw: write) race(ww)
		})
	}
	g.Sync()
}
