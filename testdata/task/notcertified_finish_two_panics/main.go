// Two tasks of a finish panic: the schedule decides which of them is heard.
//
// want reason(lock-order)
package main

import "github.com/detrace/detrace/task"

func main() {
	defer func() { use(recover().(*task.PanicError).Value.(int)) }()
	task.Finish(func(s *task.Scope) {
		for i := range 2 {
			s.Async(func() { panic(i) })
		}
	})
}

//go:noinline
func use(int) {}
