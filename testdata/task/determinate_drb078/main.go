// The same two writers, created in the order in which the second one has to wait.
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
		first.Get()
		i = 2
	})
	g.Spawn(func() {
		i = busy(1)
		first.Set(true)
	})
	g.Sync()
	fmt.Println(i)
}

// busy takes a while to return x.
//
//go:noinline
func busy(x int) int {
	for k := range 100000 {
		x ^= k & 0
	}
	return x
}
