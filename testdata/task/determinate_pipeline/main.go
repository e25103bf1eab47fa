// Every stage has a state of its own and changes the item's value. Every third
// item skips the second stage.
package main

import (
	"context"
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	sums := [3]int{}
	p := task.NewPipeline(
		func(it *task.Item[int]) {
			sums[0] += it.Value
			if it.Index()%3 == 0 {
				it.SkipTo(2)
			}
			it.Value++
		},
		func(it *task.Item[int]) {
			sums[1] += it.Value
			it.Value *= 2
		},
		func(it *task.Item[int]) { sums[2] = sums[2]*3 + it.Value },
	)
	p.Bound = 2
	err := p.Run(context.Background(), func(yield func(int) bool) {
		for i := range 20 {
			if !yield(i) {
				return
			}
		}
	})
	fmt.Println(sums, err)
}
