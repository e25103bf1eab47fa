// Pi by the midpoint rule: each task has a sum of its own, added after the join.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const steps, parts = 10000, 8
	var sums [parts]float64
	var g task.Group
	for p := range parts {
		g.Spawn(func() {
			sum := 0.0
			for i := p; i < steps; i += parts {
				x := (float64(i) + 0.5) / steps
				sum += 4 / (1 + x*x)
			}
			sums[p] = sum
		})
	}
	g.Sync()
	pi := 0.0
	for _, s := range sums {
		pi += s / steps
	}
	fmt.Printf("%.6f\n", pi)
}
