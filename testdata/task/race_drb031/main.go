// Every row is computed from the row above.
package main

import "github.com/detrace/detrace/task"

func main() {
	var b [20][20]float64
	var g task.Group
	for row := range 19 {
		g.Spawn(func() {
			i := row + 1
			for j := 1; j < 20; j++ {
				b[i][j] = b[i-1][j-1] // want race(b)
			}
		})
	}
	g.Sync()
}
