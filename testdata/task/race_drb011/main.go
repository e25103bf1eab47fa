// Some iterations count down one variable.
package main

import "github.com/detrace/detrace/task"

func main() {
	var x [100]int
	for k := range x {
		x[k] = 5 - 10*(k%2)
	}
	count := 0
	var g task.Group
	for i := range 100 {
		g.Spawn(func() {
			if x[99-i] <= 0 {
				count-- // want race(count)
			}
		})
	}
	g.Sync()
}
