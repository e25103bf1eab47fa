// Every goroutine sums into a slot of its own; main adds them after the join.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	parts := make([]int, 8)
	for i := range parts {
		wg.Go(func() {
			for j := range 100 {
				parts[i] += i * j
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, p := range parts {
		sum += p
	}
	fmt.Println(sum)
}
