// The index that follows the loop is computed in each iteration.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var a, b, c [100]float64
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			j := i
			c[j] += a[i] * b[i]
		})
	}
	g.Sync()
	fmt.Println(c[99])
}
