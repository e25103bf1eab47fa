// Main and the second task await the first one; main joins both before it reads the rest.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	x, y := 0, 2
	first := task.NewPromise[int]()
	var g task.Group
	g.Spawn(func() {
		x++
		first.Set(x)
	})
	g.Spawn(func() { y -= first.Get() })
	fmt.Println(first.Get(), x)
	g.Sync()
	fmt.Println(y)
}
