// Every iteration reads a variable and then writes it.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a [100]int
	x := 10
	var g task.Group
	for i := range a {
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
