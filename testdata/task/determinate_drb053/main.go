// A row needs the next one, but rows come one after the other.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var a [20][20]int
	var g task.Group
	for i := range 19 {
		for j := range 20 {
			g.Spawn(func() { a[i][j] += a[i+1][j] })
		}
		g.Sync()
	}
	fmt.Println(a[0][0])
}
