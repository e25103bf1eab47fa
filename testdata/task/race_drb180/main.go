// A stencil where every replica runs the whole loop, with the index and the work
// array shared.
package main

import "github.com/detrace/detrace/task"

func main() {
	var blocks [2][27]int
	var work [27]int
	block := 0
	var g task.Group
	for range 2 {
		g.Spawn(func() {
			for block = 0; block < 2; block++ { // want race(block)
				array := &blocks[block%2]
				for k := range work {
					work[k] = array[k] + array[(k+1)%27] + 1 // want race(work)
				}
			}
		})
	}
	g.Sync()
	use(work[0])
}

//go:noinline
func use(int) {}
