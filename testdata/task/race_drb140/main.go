// The first of four replicas clears the sum without the others waiting; the partial
// sums are added in a chain of promises, the first replica's last.
package main

import "github.com/detrace/detrace/task"

func main() {
	const team = 4
	sum := 0
	var turn [team + 1]*task.Promise[bool]
	for i := range turn {
		turn[i] = task.NewPromise[bool]()
	}
	turn[0].Set(true)
	var g task.Group
	for replica := range team {
		g.Spawn(func() {
			if replica == 0 {
				sum = 0 // want race(sum: write)
			}
			part := replica * 10
			at := (replica + team - 1) % team
			turn[at].Get()
			sum += part // want race(sum)
			turn[at+1].Set(true)
		})
	}
	g.Sync()
	use(sum)
}

//go:noinline
func use(int) {}
