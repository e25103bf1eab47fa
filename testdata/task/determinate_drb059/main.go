// Every iteration has its own variable; the last one hands its value out.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	x := 0
	var g task.Group
	for i := range 100 {
		g.Spawn(func() {
			own := i
			if i == 99 {
				x = own
			}
		})
	}
	g.Sync()
	fmt.Println(x)
}
