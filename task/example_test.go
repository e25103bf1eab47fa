package task_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/detrace/detrace/task"
)

func ExampleGroup() {
	squares := make([]int, 5)
	var g task.Group
	for i := range squares {
		g.Spawn(func() { squares[i] = i * i })
	}
	g.Sync()
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

func ExampleFinish() {
	var leaves [8]bool
	task.Finish(func(s *task.Scope) {
		var walk func(from, to int)
		walk = func(from, to int) {
			if to-from == 1 {
				leaves[from] = true
				return
			}
			mid := (from + to) / 2
			s.Async(func() { walk(from, mid) })
			s.Async(func() { walk(mid, to) })
		}
		walk(0, len(leaves))
	})
	fmt.Println(leaves)
	// Output: [true true true true true true true true]
}

func ExampleFuture() {
	price := task.Create(func() int { return 40 })
	total := task.Create(func() int { return 3 * price.Get() })
	fmt.Println(price.Get(), total.Get())
	// Output: 40 120
}

func ExamplePromise() {
	header := task.NewPromise[string]()
	var g task.Group
	lines := make([]string, 2)
	for i := range lines {
		g.Spawn(func() { lines[i] = fmt.Sprint(header.Get(), " ", i) })
	}
	g.Spawn(func() { header.Set("line") })
	g.Sync()
	fmt.Println(lines)
	// Output: [line 0 line 1]
}

// Each task joins the one that was forked before it, which stands left of it.
func ExampleLine() {
	var line task.Line
	words := ""
	for _, word := range []string{"in", "this", "order"} {
		line.Fork(func(l *task.Line) {
			if left := l.Left(); left != nil {
				l.Join(left)
			}
			words += word + " "
		})
	}
	line.JoinAll()
	fmt.Println(words)
	// Output: in this order
}

func ExamplePipeline() {
	sum := 0
	p := task.NewPipeline(
		func(it *task.Item[int]) {
			if it.Value%2 == 0 {
				it.SkipTo(2)
			}
		},
		func(it *task.Item[int]) { it.Value *= 10 },
		func(it *task.Item[int]) { sum += it.Value },
	)
	err := p.Run(context.Background(), slices.Values([]int{1, 2, 3}))
	fmt.Println(sum, err)
	// Output: 42 <nil>
}
