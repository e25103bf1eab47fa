// A variable that each replica should have for itself collects a loop's sum, and
// each replica adds it to the total in its turn.
package main

import "github.com/detrace/detrace/task"

func main() {
	const replicas = 4
	part, total := 0, 0
	var turn [replicas + 1]*task.Promise[bool]
	for i := range turn {
		turn[i] = task.NewPromise[bool]()
	}
	turn[0].Set(true)
	var g task.Group
	for replica := range replicas {
		g.Spawn(func() {
			for i := replica; i < 100; i += replicas {
				part += i + 1 // want race(part)
			}
			turn[replica].Get()
			total += replica
			turn[replica+1].Set(true)
		})
	}
	g.Sync()
	use(total + part)
}

//go:noinline
func use(int) {}
