// Every iteration reads the first element, which the first one writes, in a slice.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 100 * len(os.Args)
	a := make([]int, n)
	a[0] = 2
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			a[i] += a[0] // want race(a)
		})
	}
	g.Sync()
}
