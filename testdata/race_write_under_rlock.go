// Readers of an RWMutex do not exclude each other, and these write.
package main

import "sync"

func main() {
	var (
		wg   sync.WaitGroup
		mu   sync.RWMutex
		hits int
	)
	for range 2 {
		wg.Go(func() {
			mu.RLock()
			hits++ // want race(hits)
			mu.RUnlock()
		})
	}
	wg.Wait()
}
