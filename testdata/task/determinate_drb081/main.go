// Four replicas increment a copy each.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	i := 0
	var g task.Group
	for range 4 {
		g.Spawn(func() {
			increment(i)
		})
	}
	g.Sync()
	fmt.Println(i)
}

func increment(q int) { use(q + 1) }

//go:noinline
func use(int) {}
