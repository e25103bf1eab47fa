// Jacobi iteration: a stencil into a second table, joined, then copied back.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 24
	var a, b [n][n]float64
	a[1][1] = 1
	var g task.Group
	for range 5 {
		for from := 1; from < n-1; from += 1 {
			g.Spawn(func() {
				for i := from; i < min(from+1, n-1); i++ {
					for j := 1; j < n-1; j++ {
						b[i][j] = 0.2 * (a[i][j] + a[i][j-1] + a[i][j+1] + a[i-1][j] + a[i+1][j])
					}
				}
			})
		}
		g.Sync()
		for from := 1; from < n-1; from += 1 {
			g.Spawn(func() {
				for i := from; i < min(from+1, n-1); i++ {
					a[i] = b[i]
				}
			})
		}
		g.Sync()
	}
	fmt.Println(a[1][1])
}
