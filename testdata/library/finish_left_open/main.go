// A future that nobody has got yet starts a task of a Finish that does not wait for the
// future. Where it comes late, the Finish has ended: that is a race with its end.
package main

import "github.com/detrace/detrace/task"

func main() {
	var future *task.Future[int]
	task.Finish(func(s *task.Scope) {
		future = task.Create(func() int {
			s.Async(func() {})
			return 1
		})
	})
	future.Get()
}
