// Comparing arrays reads their elements.
package main

import "sync"

var a, b [16]int

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		a[0] = 1 // want race(a: write)
	})
	use(a == b) // want race(a: read)
	wg.Wait()
}

//go:noinline
func use(bool) {}
