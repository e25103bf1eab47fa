// Initial values of a grid, with temporaries that belong to the iteration.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 50
	var u, f [n][n]float64
	dx, dy := 2.0/(n-1), 2.0/(n-1)
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			for j := range n {
				x, y := -1+dx*float64(i), -1+dy*float64(j)
				u[i][j] = 0
				f[i][j] = -1*(1-x*x)*(1-y*y) - 2*(1-x*x) - 2*(1-y*y)
			}
		})
	}
	g.Sync()
	fmt.Println(f[1][1])
}
