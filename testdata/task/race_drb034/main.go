// Element 2i+1 is computed from element i, in a slice.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 100 * len(os.Args)
	a := make([]int, 2*n)
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			a[2*i+1] = a[i] + 1 // want race(a)
		})
	}
	g.Sync()
}
