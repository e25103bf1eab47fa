// As many iterations as the input says read a variable and then write it.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 100 * len(os.Args)
	a := make([]int, n)
	x := 10
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			a[i] = x // want race(rw: read)
			x = i    // want race(rw: write) race(ww)
		})
	}
	g.Sync()
	use(a[0] + x)
}

//go:noinline
func use(int) {}
