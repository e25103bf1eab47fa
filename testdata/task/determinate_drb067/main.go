// A function clears two slices that do not overlap.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	p, q := make([]float64, 500), make([]float64, 500)
	clearBoth(p, q)
	fmt.Println(q[499])
}

func clearBoth(p, q []float64) {
	var g task.Group
	for i := range p {
		g.Spawn(func() {
			p[i] = 0
			q[i] = 0
		})
	}
	g.Sync()
}
