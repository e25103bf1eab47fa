// Four replicas increment a shared counter in a method, and one of their own.
package main

import "github.com/detrace/detrace/task"

func main() {
	var g task.Group
	for replica := range 4 {
		g.Spawn(func() {
			shared.add()
			own[replica].add()
		})
	}
	g.Sync()
}

type counter struct{ n int }

func (c *counter) add() {
	c.n++ // want race(n)
}

var (
	shared counter
	own    [4]counter
)
