// Every iteration has a copy of what was computed before the loop.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var a [100]int
	shift := 7
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			own := shift
			a[i] += own
		})
	}
	g.Sync()
	fmt.Println(a[99])
}
