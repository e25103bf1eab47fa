// One task initialises, is joined, and four replicas read.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	first := 0
	var g task.Group
	g.Spawn(func() { first = 10 })
	g.Sync()
	var got [4]int
	for r := range got {
		g.Spawn(func() { got[r] = first })
	}
	g.Sync()
	fmt.Println(got)
}
