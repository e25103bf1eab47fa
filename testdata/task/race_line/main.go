// The second fork touches x before it joins the first.
package main

import "github.com/detrace/detrace/task"

func main() {
	var line task.Line
	x := 0
	first := line.Fork(func(*task.Line) {
		x = 1 // want race(x: write)
	})
	second := line.Fork(func(l *task.Line) {
		use(x) // want race(x: read)
		l.Join(first)
	})
	line.Join(second)
}

//go:noinline
func use(int) {}
