// A slice clipped to its length makes each append copy: only the old array is
// shared, and it is only read.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var left, right []int
	base := make([]int, 1, 4)
	base = base[:1:1]
	wg.Go(func() {
		left = append(base, 1)
	})
	wg.Go(func() {
		right = append(base, 2)
	})
	wg.Wait()
	fmt.Println(left, right)
}
