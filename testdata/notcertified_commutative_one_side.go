// Only one of two critical sections says that the order does not matter.
package main

import "sync"

func main() {
	var (
		wg sync.WaitGroup
		mu sync.Mutex
		x  int
	)
	wg.Go(func() {
		//detrace:commutative an addition
		mu.Lock() // want reason(lock-order)
		x += 3
		mu.Unlock()
	})
	wg.Go(func() {
		mu.Lock() // want reason(lock-order)
		x *= 2
		mu.Unlock()
	})
	wg.Wait()
}
