// A finish waits for the tasks that its tasks started.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	x := 0
	task.Finish(func(s *task.Scope) {
		s.Async(func() {
			s.Async(func() {
				s.Async(func() { x = 1 })
			})
		})
	})
	fmt.Println(x)
}
