// Two appends to the same slice write the same spare element of its array.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var left, right []int
	base := make([]int, 1, 4)
	wg.Go(func() {
		left = append(base, 1) // want race(base: write)
	})
	wg.Go(func() {
		right = append(base, 2) // want race(base: write)
	})
	wg.Wait()
	fmt.Println(len(left), len(right))
}
