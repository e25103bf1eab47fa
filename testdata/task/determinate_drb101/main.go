// Each task gets the index of the loop that creates it by value, as a parameter.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var a [100]int
	var g task.Group
	for i := 0; i < len(a); i++ {
		g.Spawn(filler(a[:], i))
	}
	g.Sync()
	fmt.Println(a[99])
}

func filler(a []int, i int) func() {
	return func() { a[i] = i + 1 }
}
