// One task for each element of a table.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 40
	var a [n][n]int
	var g task.Group
	for i := range n {
		for j := range n {
			g.Spawn(func() { a[i][j]++ })
		}
	}
	g.Sync()
	fmt.Println(a[1][1])
}
