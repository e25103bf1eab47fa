// The first stage of a later item is not ordered with the last stage of an
// earlier one; that only one item at a time has room inside is no order.
package main

import (
	"context"

	"github.com/detrace/detrace/task"
)

func main() {
	x := 0
	p := task.NewPipeline(
		func(it *task.Item[int]) {
			if it.Index() > 0 {
				use(x) // want race(x: read)
			}
		},
		func(*task.Item[int]) {},
		func(it *task.Item[int]) {
			if it.Index() == 0 {
				x = 1 // want race(x: write)
			}
		},
	)
	p.Bound = 1
	p.Run(context.Background(), func(yield func(int) bool) {
		for i := 0; i < 10 && yield(i); i++ {
		}
	})
}

//go:noinline
func use(int) {}
