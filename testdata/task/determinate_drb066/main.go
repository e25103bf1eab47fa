// Two slices from two allocations.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	p, q := make([]float64, 1000), make([]float64, 1000)
	var g task.Group
	for i := range p {
		g.Spawn(func() {
			p[i] = 0
			q[i] = 2.5 * float64(i)
		})
	}
	g.Sync()
	fmt.Println(q[999])
}
