// Only one of four replicas writes and reads.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	k := 0
	var g task.Group
	for replica := range 4 {
		g.Spawn(func() {
			if replica == 0 {
				k = 4
				k++
			}
		})
	}
	g.Sync()
	fmt.Println(k)
}
