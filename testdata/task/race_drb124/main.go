// One replica initialises what all of them read, and nobody waits.
package main

import "github.com/detrace/detrace/task"

func main() {
	first := 0
	var g task.Group
	for replica := range 4 {
		g.Spawn(func() {
			if replica == 0 {
				first = 10 // want race(first: write)
			}
			use(first) // want race(first: read)
		})
	}
	g.Sync()
}

//go:noinline
func use(int) {}
