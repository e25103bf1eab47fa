// A mutex that one goroutine locks and another unlocks: a lock is luck, also where no
// other schedule exists, and however close the Unlock is to the Lock that waits for it.
package main

import "sync"

var x int

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	mu.Lock()
	wg.Go(func() {
		x = 1 // want reason(luck)
		mu.Unlock()
	})
	wg.Go(func() {
		mu.Lock()
		x = 2 // want reason(luck)
		mu.Unlock()
	})
	wg.Wait()
}
