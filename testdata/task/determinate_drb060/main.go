// A matrix product with a task for each row.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 20
	var a, b, c [n][n]int
	a[3][4], b[4][5] = 6, 7
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			for k := range n {
				for j := range n {
					c[i][j] += a[i][k] * b[k][j]
				}
			}
		})
	}
	g.Sync()
	fmt.Println(c[3][5])
}
