// Element 2i+1 is computed from element i.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a [200]int
	var g task.Group
	for i := range 100 {
		g.Spawn(func() {
			a[2*i+1] = a[i] + 1 // want race(a)
		})
	}
	g.Sync()
}
