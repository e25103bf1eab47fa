// A task sets a promise half way; three tasks that were there before it await
// it, and use what was made before the set only.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var g task.Group
	p := task.NewPromise[int]()
	x, y := 0, 0
	var got [3]int
	for i := range got {
		g.Spawn(func() { got[i] = p.Get() + x })
	}
	g.Spawn(func() {
		x = 1
		p.Set(10)
		y = 2
	})
	g.Sync()
	fmt.Println(got, y)
}
