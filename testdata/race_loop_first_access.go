// A loop carries elements one place on: all but the first are read where they were just
// written, so that only the write is remembered.
package main

import "sync"

func main() {
	a := make([]int, 64)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; i < len(a)-1; i++ {
			x := a[i]
			a[i+1] = x + 1 // want race(a: write)
		}
	})
	wg.Go(func() {
		for i := 1; i < len(a); i++ {
			a[i] = 0 // want race(a: write)
		}
	})
	wg.Wait()
}
