// A pipeline that can be cancelled.
//
// want reason(select)
package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/detrace/detrace/task"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sum := 0
	p := task.NewPipeline(
		func(it *task.Item[int]) { it.Value *= 2 },
		func(it *task.Item[int]) { sum += it.Value },
	)
	fmt.Println(p.Run(ctx, slices.Values([]int{1, 2, 3})), sum)
}
