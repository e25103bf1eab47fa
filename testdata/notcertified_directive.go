// A directive without a reason is none, nor is one with a space in front.
package main

import "sync"

func main() {
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	for range 2 {
		wg.Go(func() {
			mu.Lock() // want reason(lock-order)
			//detrace:commutative // want reason(directive)
			mu.Unlock()
			// detrace:commutative a sum // want reason(directive)
		})
	}
	wg.Wait()
}
