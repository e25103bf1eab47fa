// Every iteration reads the element that the one before writes.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a, b [100]int
	var g task.Group
	for i := range 99 {
		g.Spawn(func() {
			a[i+1] = a[i] + b[i] // want race(a)
		})
	}
	g.Sync()
}
