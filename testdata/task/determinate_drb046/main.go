// Every iteration has a row of its own, and its own inner index.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var a [100][100]int
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			for j := range a[i] {
				a[i][j]++
			}
		})
	}
	g.Sync()
	fmt.Println(a[99][99])
}
