// Every iteration appends at a shared index, as often as the input says.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 100 * len(os.Args)
	in, out := make([]int, n), make([]int, n)
	length := 0
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			out[length%n], length = in[i], length+1 // want race(length)
		})
	}
	g.Sync()
	use(out[0])
}

//go:noinline
func use(int) {}
