// Every iteration appends at a shared index.
package main

import "github.com/detrace/detrace/task"

func main() {
	var in, out [100]int
	for k := range in {
		in[k] = k
	}
	length := 0
	var g task.Group
	for i := range in {
		g.Spawn(func() {
			out[length%100], length = in[i], length+1 // want race(length)
		})
	}
	g.Sync()
	use(out[0])
}

//go:noinline
func use(int) {}
