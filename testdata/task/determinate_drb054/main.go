// A row needs the one above, but rows come one after the other.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var b [30][30]int
	var g task.Group
	for i := 1; i < 30; i++ {
		for j := 1; j < 30; j++ {
			g.Spawn(func() { b[i][j] = b[i-1][j-1] })
		}
		g.Sync()
	}
	fmt.Println(b[29][29])
}
