// Alternating directions: sweeps along rows, then along columns, in strips of 8.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n, strip = 24, 8
	var u, v [n][n]float64
	var g task.Group
	for step := range 3 {
		for from := 0; from < n; from += strip {
			g.Spawn(func() {
				for i := from; i < from+strip; i++ {
					for j := 1; j < n; j++ {
						v[i][j] = v[i][j-1]*0.5 + u[i][j] + float64(step)
					}
				}
			})
		}
		g.Sync()
		for from := 0; from < n; from += strip {
			g.Spawn(func() {
				for j := from; j < from+strip; j++ {
					for i := 1; i < n; i++ {
						u[i][j] = u[i-1][j]*0.5 + v[i][j]
					}
				}
			})
		}
		g.Sync()
	}
	fmt.Println(u[n-1][n-1])
}
