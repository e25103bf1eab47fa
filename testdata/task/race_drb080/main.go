// Four replicas increment one variable through a pointer.
package main

import "github.com/detrace/detrace/task"

func main() {
	i := 0
	var g task.Group
	for range 4 {
		g.Spawn(func() {
			increment(&i)
		})
	}
	g.Sync()
}

func increment(q *int) {
	*q++ // want race(i)
}
