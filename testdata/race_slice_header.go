// Reslicing writes the header that another goroutine reads.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	s := make([]int, 10)
	wg.Go(func() {
		s = s[1:] // want race(s: write)
	})
	use(len(s)) // want race(s: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
