// Four tasks start one child each. A promise orders a child behind the children
// that its own parent started earlier, and there are none.
package main

import "github.com/detrace/detrace/task"

func main() {
	a := 0
	var g task.Group
	for range 4 {
		g.Spawn(func() {
			before := task.NewPromise[bool]()
			before.Set(true)
			var inner task.Group
			inner.Spawn(func() {
				before.Get()
				a++ // want race(a)
			})
			inner.Sync()
		})
	}
	g.Sync()
}
