// Futures that get futures, some of them twice.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	fmt.Println(sum(0, 64).Get())
}

func sum(from, to int) *task.Future[int] {
	return task.Create(func() int {
		if to-from == 1 {
			return from
		}
		mid := (from + to) / 2
		left, right := sum(from, mid), sum(mid, to)
		return left.Get() + right.Get() + left.Get() - left.Get()
	})
}
