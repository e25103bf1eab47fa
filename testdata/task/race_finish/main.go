// The task is started in the inner finish but belongs to the outer one, which
// ends later.
package main

import "github.com/detrace/detrace/task"

func main() {
	x := 0
	task.Finish(func(outer *task.Scope) {
		task.Finish(func(*task.Scope) {
			outer.Async(func() {
				x = 1 // want race(x: write)
			})
		})
		use(x) // want race(x: read)
	})
}

//go:noinline
func use(int) {}
