// The flag of the input makes the loop parallel. Here it is set.
package main

import (
	"os"

	"github.com/detrace/detrace/task"
)

func main() {
	var a [100]int
	for i := range a {
		a[i] = i
	}
	parallel := len(os.Args) > 0
	if !parallel {
		for i := range 99 {
			a[i+1] = a[i] + 1
		}
		return
	}
	var g task.Group
	for i := range 99 {
		g.Spawn(func() {
			a[i+1] = a[i] + 1 // want race(a)
		})
	}
	g.Sync()
}
