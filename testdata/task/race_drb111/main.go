// An index that should follow the loop is shared and incremented.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a, b, c [100]float64
	j := 0
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			c[j%100], j = c[j%100]+a[i]*b[i], j+1 // want race(j)
		})
	}
	g.Sync()
}
