// The last value of as many as the input says is wanted.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 100 * len(os.Args)
	x := 0
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			x = i // want race(x)
		})
	}
	g.Sync()
	use(x)
}

//go:noinline
func use(int) {}
