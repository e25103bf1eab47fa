// A temporary that every iteration should have for itself is shared.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a [100]int
	for i := range a {
		a[i] = i
	}
	tmp := 0
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			tmp = a[i] + i // want race(tmp: write)
			a[i] = tmp
		})
	}
	g.Sync()
	use(a[0])
}

//go:noinline
func use(int) {}
