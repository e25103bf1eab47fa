// Tasks that are joined as soon as they are spawned.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	n := 0
	var g task.Group
	for range 10 {
		g.Spawn(func() { n++ })
		g.Sync()
	}
	fmt.Println(n)
}
