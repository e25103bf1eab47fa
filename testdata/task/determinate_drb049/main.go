// Each task makes a line of its own of what all of them read; main prints the lines.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var a [100]int
	var lines [100]string
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			lines[i] = fmt.Sprintln(a[i], i)
		})
	}
	g.Sync()
	for _, line := range lines {
		fmt.Print(line)
	}
}
