// A stencil from one buffer to another, with a join after each step.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	from, to := make([]int, 8), make([]int, 8)
	from[4] = 1000
	for range 5 {
		for i := 1; i < 7; i++ {
			wg.Go(func() { to[i] = (from[i-1] + from[i] + from[i+1]) / 3 })
		}
		wg.Wait()
		from, to = to, from
	}
	fmt.Println(from)
}
