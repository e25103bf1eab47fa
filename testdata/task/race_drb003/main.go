// The same between the rows of a table.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a [20][20]float64
	var g task.Group
	for i := range 19 {
		g.Spawn(func() {
			for j := range 20 {
				a[i][j] += a[i+1][j] // want race(a)
			}
		})
	}
	g.Sync()
}
