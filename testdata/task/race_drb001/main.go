// Every iteration reads the element that the next one writes.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a [100]int
	for i := range a {
		a[i] = i
	}
	var g task.Group
	for i := range 99 {
		g.Spawn(func() {
			a[i] = a[i+1] + 1 // want race(a)
		})
	}
	g.Sync()
}
