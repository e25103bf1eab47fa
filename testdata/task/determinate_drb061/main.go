// Matrix times vector with a task for each row, which has its own sum.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 50
	var a [n][n]int
	var v, out [n]int
	a[3][4], v[4] = 6, 7
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			sum := 0
			for j := range n {
				sum += a[i][j] * v[j]
			}
			out[i] = sum
		})
	}
	g.Sync()
	fmt.Println(out[3])
}
