// Every iteration writes the element that the next one reads.
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
			a[i+1] = a[i] + 1 // want race(a)
		})
	}
	g.Sync()
}
