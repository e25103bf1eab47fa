// The same loop with a chain of promises that orders the increments.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 100
	x := 0
	turn := make([]*task.Promise[int], n+1)
	for i := range turn {
		turn[i] = task.NewPromise[int]()
	}
	var g task.Group
	for i := range n {
		g.Spawn(func() {
			turn[i].Get()
			x++
			turn[i+1].Set(0)
		})
	}
	turn[0].Set(0)
	g.Sync()
	fmt.Println(x)
}
