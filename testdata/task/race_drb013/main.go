// One more task reads an element without waiting for the loop that writes it.
package main

import "github.com/detrace/detrace/task"

func main() {
	const b = 5
	var a [1000]int
	failed := 0
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			a[i] = b + a[i]*5 // want race(a: write)
		})
	}
	g.Spawn(func() {
		failed = a[9] + 1 // want race(a: read)
	})
	g.Sync()
	use(failed)
}

//go:noinline
func use(int) {}
