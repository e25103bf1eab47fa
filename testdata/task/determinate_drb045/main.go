// Every iteration has an element of its own.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var a [100]int
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			a[i]++
		})
	}
	g.Sync()
	fmt.Println(a[99])
}
