// Diffusion between two slices, swapped after each joined step.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 20
	from, to := make([]float64, n), make([]float64, n)
	from[n/2] = 1
	for range 10 {
		var g task.Group
		for k := range n - 2 {
			g.Spawn(func() {
				i := k + 1
				to[i] = from[i] + 0.1*(from[i-1]+from[i+1]-2*from[i])
			})
		}
		g.Sync()
		from, to = to, from
	}
	fmt.Println(from)
}
