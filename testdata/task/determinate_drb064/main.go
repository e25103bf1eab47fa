// Every element is replaced by its left neighbour, inside a task for each row.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 30
	var b [n][n]int
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			for j := 1; j < n; j++ {
				b[i][j] = b[i][j-1]
			}
		})
	}
	g.Sync()
	fmt.Println(b[1][1])
}
