// A row for temporary results is shared by the iterations of the outer loop.
package main

import "github.com/detrace/detrace/task"

func main() {
	const n = 8
	var r [n][n][n]float64
	var row [n]float64
	var g task.Group
	for i := range n - 2 {
		g.Spawn(func() {
			for j := 1; j < n-1; j++ {
				for k := range n {
					row[k] = r[i+1][j-1][k] + r[i+1][j+1][k] + r[i][j][k] + r[i+2][j][k] // want race(row)
				}
			}
		})
	}
	g.Sync()
}
