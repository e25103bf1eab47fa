// The second task awaits the first one's promise, which does not wait for the
// first one's own child: the two children are unordered.
package main

import "github.com/detrace/detrace/task"

func main() {
	a := 0
	first := task.NewPromise[bool]()
	var g task.Group
	g.Spawn(func() {
		var inner task.Group
		inner.Spawn(func() {
			a++ // want race(a)
		})
		first.Set(true)
		inner.Sync()
	})
	g.Spawn(func() {
		first.Get()
		var inner task.Group
		inner.Spawn(func() {
			a++ // want race(a)
		})
		inner.Sync()
	})
	g.Sync()
}
