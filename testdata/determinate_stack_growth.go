// Stacks grow, shrink and are used again, with pointers into them.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

func grow(depth int, up *int) int {
	var frame [32]int
	frame[depth%32] = depth + *up
	if depth == 0 {
		return frame[0]
	}
	return grow(depth-1, &frame[depth%32]) % 1000003
}

func main() {
	var wg sync.WaitGroup
	out := make([]int, 4)
	for range 3 {
		for i := range out {
			wg.Go(func() {
				start := i
				out[i] += grow(500+i, &start)
			})
		}
		wg.Wait()
		runtime.GC()
	}
	fmt.Println(out)
}
