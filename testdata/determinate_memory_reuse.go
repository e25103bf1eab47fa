// Memory that one goroutine has dropped is given to another by the allocator.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

func churn(seed int) int {
	sum := 0
	for i := range 200 {
		b := make([]int, 64)
		for j := range b {
			b[j] = seed + i
		}
		sum += b[i%64]
	}
	return sum
}

func main() {
	var wg sync.WaitGroup
	out := make([]int, 4)
	for i := range out {
		wg.Go(func() {
			for range 3 {
				out[i] += churn(i)
				runtime.GC()
			}
		})
	}
	wg.Wait()
	fmt.Println(out)
}
