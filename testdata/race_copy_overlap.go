// Two copies overlap in one element.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	dst := make([]int, 8)
	ones, twos := []int{1, 1, 1, 1, 1}, []int{2, 2, 2, 2}
	wg.Go(func() {
		copy(dst[:5], ones) // want race(dst: write)
	})
	wg.Go(func() {
		copy(dst[4:], twos) // want race(dst: write)
	})
	wg.Wait()
}
