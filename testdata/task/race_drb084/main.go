// A package variable that each replica should have for itself collects a loop's
// sum; the total is right only by luck.
package main

import "github.com/detrace/detrace/task"

func main() {
	var g task.Group
	for i := range 100 {
		g.Spawn(func() {
			part += i + 1 // want race(part)
		})
	}
	g.Sync()
	use(part)
}

var part int

//go:noinline
func use(int) {}
