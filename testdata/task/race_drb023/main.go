// The smallest race: two sections write one variable.
package main

import "github.com/detrace/detrace/task"

func main() {
	i := 0
	task.Finish(func(s *task.Scope) {
		s.Async(func() {
			i = 1 // want race(i: write)
		})
		s.Async(func() {
			i = 2 // want race(i: write)
		})
	})
	use(i)
}

//go:noinline
func use(int) {}
