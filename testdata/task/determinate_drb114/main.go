// The flag of the input makes the loop parallel. Here it is not set.
package main

import (
	"fmt"
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	var a [100]int
	for i := range a {
		a[i] = i
	}
	parallel := len(os.Args) == 0
	if !parallel {
		for i := range 99 {
			a[i+1] = a[i] + 1
		}
		fmt.Println(a[99])
		return
	}
	var g task.Group
	for i := range 99 {
		g.Spawn(func() {
			a[i+1] = a[i] + 1
		})
	}
	g.Sync()
}
