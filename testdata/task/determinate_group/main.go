// Two spawned tasks write a variable each; the sync orders them before the sum.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var g task.Group
	var x, y int
	g.Spawn(func() { x = 1 })
	g.Spawn(func() { y = 2 })
	g.Sync()
	fmt.Println(x + y)
}
