// The same between the rows of a table, in slices as long as the input says.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 20 * len(os.Args)
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	var g task.Group
	for i := range n - 1 {
		g.Spawn(func() {
			for j := range n {
				a[i][j] += a[i+1][j] // want race(a)
			}
		})
	}
	g.Sync()
}
