// Two loops over two tables, the second after the first.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var a, b [50][50]int
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			for j := range a[i] {
				a[i][j]++
			}
		})
	}
	g.Sync()
	for i := range b {
		g.Spawn(func() {
			for j := range b[i] {
				b[i][j]++
			}
		})
	}
	g.Sync()
	fmt.Println(a[1][1], b[1][1])
}
