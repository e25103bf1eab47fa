// The loop is joined before one more task reads an element.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const b = 5
	var a [1000]int
	failed := 0
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			a[i] = b + a[i]*5
		})
	}
	g.Sync()
	g.Spawn(func() { failed = a[9] + 1 })
	g.Sync()
	fmt.Println(failed)
}
