// Some of as many iterations as the input says count down one variable.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 100 * len(os.Args)
	x := make([]int, n)
	for k := range x {
		x[k] = 5 - 10*(k%2)
	}
	count := 0
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			if x[n-1-i] <= 0 {
				count-- // want race(count)
			}
		})
	}
	g.Sync()
}
