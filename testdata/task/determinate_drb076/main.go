// Ten replicas write a variable of their own and read it again.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var parts [10]int
	var g task.Group
	for replica := range parts {
		g.Spawn(func() {
			i := 0
			set(&i)
			parts[replica] += i
		})
	}
	g.Sync()
	fmt.Println(parts)
}

//go:noinline
func set(q *int) { *q = 1 }
