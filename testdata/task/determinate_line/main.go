// The second fork joins the first, which is left of it; main joins the second.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var line task.Line
	x := 0
	first := line.Fork(func(*task.Line) { x = 1 })
	second := line.Fork(func(l *task.Line) {
		l.Join(first)
		x++
	})
	line.Join(second)
	fmt.Println(x)
}
