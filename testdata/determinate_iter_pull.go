// A pulled iterator and its caller take turns.
package main

import (
	"fmt"
	"iter"
)

func squares(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i * i) {
				return
			}
		}
	}
}

func main() {
	next, stop := iter.Pull(squares(20))
	defer stop()
	sum := 0
	for v, ok := next(); ok && v < 200; v, ok = next() {
		sum += v
	}
	fmt.Println(sum)
}
