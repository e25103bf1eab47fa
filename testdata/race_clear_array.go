// Clear of a slice whose length the compiler knows, which it makes into plain writes.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	a, b := new([100]int), make([]byte, 40)
	wg.Go(func() {
		clear(a[:])   // want race(a: write)
		clear(b[:16]) // want race(b: write)
	})
	use(a[99])      // want race(a: read)
	use(int(b[15])) // want race(b: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
