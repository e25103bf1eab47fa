// One slow writer, two readers that await the same promise.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var i, j, k int
	written := task.NewPromise[bool]()
	var g task.Group
	g.Spawn(func() {
		written.Get()
		j = i
	})
	g.Spawn(func() {
		written.Get()
		k = i
	})
	g.Spawn(func() {
		i = 1
		written.Set(true)
	})
	g.Sync()
	fmt.Println(j, k)
}
