// Every row is computed from the row above, in slices.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 20 * len(os.Args)
	b := make([][]float64, n)
	for i := range b {
		b[i] = make([]float64, n)
	}
	var g task.Group
	for row := range n - 1 {
		g.Spawn(func() {
			i := row + 1
			for j := 1; j < n; j++ {
				b[i][j] = b[i-1][j-1] // want race(b)
			}
		})
	}
	g.Sync()
}
