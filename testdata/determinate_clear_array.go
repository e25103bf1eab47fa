// Clear of slices whose length the compiler knows, each for one goroutine.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	a, b := new([100]int), make([]byte, 40)
	wg.Go(func() {
		clear(a[:50])
		clear(b[:16])
	})
	clear(a[50:])
	use(int(b[16]))
	wg.Wait()
	use(a[3])
}

//go:noinline
func use(int) {}
