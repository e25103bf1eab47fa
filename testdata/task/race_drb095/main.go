// The index of the inner loop is shared by the iterations of the outer one.
package main

import "github.com/detrace/detrace/task"

func main() {
	var a [10][10]int
	j := 0
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			for j = 0; j < 10; j++ { // want race(j)
				a[i][j%10]++
			}
		})
	}
	g.Sync()
}
