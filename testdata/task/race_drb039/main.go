// Every iteration reads the first element, which the first one writes.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a [1000]int
	a[0] = 2
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			a[i] += a[0] // want race(a)
		})
	}
	g.Sync()
}
