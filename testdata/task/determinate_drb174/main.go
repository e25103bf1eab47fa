// Each task joins its child before it sets its promise: that orders the children
// of both.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	a := 0
	first := task.NewPromise[bool]()
	var g task.Group
	g.Spawn(func() {
		var inner task.Group
		inner.Spawn(func() { a++ })
		inner.Sync()
		first.Set(true)
	})
	g.Spawn(func() {
		first.Get()
		var inner task.Group
		inner.Spawn(func() { a++ })
		inner.Sync()
	})
	g.Sync()
	fmt.Println(a)
}
