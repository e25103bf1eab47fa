// A slice is ranged over while one of its elements is written.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	s := make([]int, 10)
	wg.Go(func() {
		s[6] = 1 // want race(s: write)
	})
	sum := 0
	for _, v := range s { // want race(s: read)
		sum += v
	}
	use(sum)
	wg.Wait()
}

//go:noinline
func use(int) {}
