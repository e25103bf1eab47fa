// Each task has a copy of the index of the loop that creates it.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var a [100]int
	var g task.Group
	for i := range a {
		g.Spawn(func() {
			fill(a[:], i)
		})
	}
	g.Sync()
	fmt.Println(a[99])
}

func fill(a []int, i int) { a[i] = i + 1 }
