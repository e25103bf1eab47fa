// The second writer awaits the first one's promise, so the last value is known.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	i := 0
	first := task.NewPromise[bool]()
	var g task.Group
	g.Spawn(func() {
		i = 1
		first.Set(true)
	})
	g.Spawn(func() {
		first.Get()
		i = 2
	})
	g.Sync()
	fmt.Println(i)
}
