// One section starts a team, one of which increments.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	i := 1
	var g task.Group
	g.Spawn(func() {
		var team task.Group
		for replica := range 4 {
			team.Spawn(func() {
				if replica == 0 {
					i++
				}
			})
		}
		team.Sync()
	})
	g.Sync()
	fmt.Println(i)
}
