// Two tasks of a group panic: in every schedule the sync panics with what the
// earlier one said.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	defer func() {
		fmt.Println(recover().(*task.PanicError).Value)
	}()
	var g task.Group
	for i := range 4 {
		g.Spawn(func() {
			if i%2 == 1 {
				panic(i)
			}
		})
	}
	g.Sync()
}
