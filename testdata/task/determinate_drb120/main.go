// Two phases, in each of which one task increments.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 0
	var g task.Group
	for range 2 {
		g.Spawn(func() { n++ })
		g.Sync()
	}
	fmt.Println(n)
}
