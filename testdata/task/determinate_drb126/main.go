// Two sections increment a copy each.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	first := 1
	var got [2]int
	var g task.Group
	for section := range got {
		g.Spawn(func() {
			own := first
			own += section
			got[section] = own
		})
	}
	g.Sync()
	fmt.Println(got)
}
