// One parallel loop for each row, in which every element needs its left neighbour.
package main

import "github.com/detrace/detrace/task"

func main() {
	var b [10][10]float64
	for i := range b {
		var g task.Group
		for k := range 9 {
			g.Spawn(func() {
				j := k + 1
				b[i][j] = b[i][j-1] // want race(b)
			})
		}
		g.Sync()
	}
}
