// One of four replicas writes, and nobody reads before the join.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 0
	var g task.Group
	for replica := range 4 {
		g.Spawn(func() {
			if replica == 0 {
				n = 4
			}
		})
	}
	g.Sync()
	fmt.Println(n)
}
