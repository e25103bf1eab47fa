// Two sections increment one field; whatever lock one of them took, the other did not.
package main

import "github.com/detrace/detrace/task"

func main() {
	var p struct{ a, b int }
	var g task.Group
	g.Spawn(func() {
		p.b++ // want race(b)
		p.a++
	})
	g.Spawn(func() {
		p.b++ // want race(b)
	})
	g.Sync()
}
