// A sum over a table without a reduction.
package main

import "github.com/detrace/detrace/task"

func main() {
	var u [20][20]float32
	for i := range u {
		for j := range u[i] {
			u[i][j] = 0.5
		}
	}
	var sum float32
	var g task.Group
	for i := range u {
		g.Spawn(func() {
			for j := range u[i] {
				t := u[i][j]
				sum += t * t // want race(sum)
			}
		})
	}
	g.Sync()
}
