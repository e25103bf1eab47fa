// Two readers and one writer, all in parallel: two pairs, and neither reader
// may push the other out of memory.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() {
		use(x) // want race(first: read)
	})
	wg.Go(func() {
		use(x) // want race(second: read)
	})
	wg.Go(func() {
		x = 1 // want race(first: write) race(second: write)
	})
	wg.Wait()
}

//go:noinline
func use(int) {}
