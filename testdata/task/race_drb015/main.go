// The table is one slice: the element before the first of a row is the last of the
// row above, which another iteration writes.
package main

import "github.com/detrace/detrace/task"

func main() {
	const n, m = 30, 30
	b := make([]float64, n*m)
	var g task.Group
	for row := range n - 1 {
		g.Spawn(func() {
			i := row + 1
			for j := range m {
				b[i*m+j] = b[i*m+j-1] // want race(b)
			}
		})
	}
	g.Sync()
}
