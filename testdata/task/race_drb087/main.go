// Four replicas increment a shared counter, and one of their own.
package main

import "github.com/detrace/detrace/task"

func main() {
	var g task.Group
	for replica := range 4 {
		g.Spawn(func() {
			shared++ // want race(shared)
			own[replica]++
		})
	}
	g.Sync()
}

var (
	shared int
	own    [4]int
)
