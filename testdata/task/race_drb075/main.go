// One of four replicas writes what the others read.
package main

import "github.com/detrace/detrace/task"

func main() {
	n := 0
	var g task.Group
	for replica := range 4 {
		g.Spawn(func() {
			if replica == 0 {
				n = 4 // want race(n: write)
			} else {
				use(n) // want race(n: read)
			}
		})
	}
	g.Sync()
}

//go:noinline
func use(int) {}
