// Every iteration reads the element that the next one writes, in a slice as long as
// the input says.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 100 * len(os.Args)
	a := make([]int, n)
	for i := range a {
		a[i] = i
	}
	var g task.Group
	for i := range n - 1 {
		g.Spawn(func() {
			a[i] = a[i+1] + 1 // want race(a)
		})
	}
	g.Sync()
}
