// The loop is in a function that gets its slices as arguments.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	o, c := make([]float64, 100), make([]float64, 100)
	scale(o, c)
	fmt.Println(o[99])
}

func scale(o, c []float64) {
	var g task.Group
	for i := range o {
		g.Spawn(func() {
			v := 0.5 * c[i]
			o[i] = v
		})
	}
	g.Sync()
}
