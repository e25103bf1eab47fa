// A task leaves its own fork unjoined; main joins the task and reads too early what
// the fork writes.
package main

import "github.com/detrace/detrace/task"

func main() {
	var line task.Line
	x := 0
	left := line.Fork(func(l *task.Line) {
		l.Fork(func(*task.Line) {
			x = 1 // want race(x: write)
		})
	})
	line.Join(left)
	use(x) // want race(x: read)
	line.JoinAll()
}

//go:noinline
func use(int) {}
