// Nested loops with their own indices and temporary.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 8
	var a [n][n][n]int
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			t := 3
			for j := range n {
				for k := range n {
					a[i][j][k] = t + 4
				}
			}
		})
	}
	g.Sync()
	fmt.Println(a[1][1][1])
}
