// Clear of a slice writes its elements.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	s := make([]int, 100)
	wg.Go(func() {
		clear(s) // want race(s: write)
	})
	use(s[50]) // want race(s: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
