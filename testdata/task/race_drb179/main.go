// The second iteration also writes the element of the first.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a [100]int
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			a[i] = i // want race(a)
			if i == 1 {
				a[0] = 1 // want race(a)
			}
		})
	}
	g.Sync()
}
