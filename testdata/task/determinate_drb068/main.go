// A function adds two slices into a third.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	a, b, c := make([]int, 500), make([]int, 500), make([]int, 500)
	add(a, b, c)
	fmt.Println(a[499])
}

func add(a, b, c []int) {
	var g task.Group
	for i := range a {
		g.Spawn(func() { a[i] = b[i] + c[i] })
	}
	g.Sync()
}
