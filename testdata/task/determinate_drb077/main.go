// Exactly one of the tasks counts.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	count := 0
	var g task.Group
	for replica := range 4 {
		g.Spawn(func() {
			if replica == 2 {
				count++
			}
		})
	}
	g.Sync()
	fmt.Println(count)
}
