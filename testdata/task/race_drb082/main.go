// Four replicas call a function that increments a package variable.
package main

import "github.com/detrace/detrace/task"

func main() {
	var g task.Group
	for range 4 {
		g.Spawn(func() {
			increment()
		})
	}
	g.Sync()
}

var q int

func increment() {
	q++ // want race(q)
}
