// An item that skips a stage still waits for its turn at the next one, but the
// first stage of later items waits for nobody: what the first stage writes belongs to it.
package main

import (
	"context"
	"slices"

	"github.com/detrace/detrace/task"
)

func main() {
	last := 0
	p := task.NewPipeline(
		func(it *task.Item[int]) {
			last = it.Value // want race(last: write)
			it.SkipTo(2)
		},
		func(*task.Item[int]) {},
		func(*task.Item[int]) {
			use(last) // want race(last: read)
		},
	)
	p.Run(context.Background(), slices.Values([]int{1, 2, 3}))
}

//go:noinline
func use(int) {}
