// Only one side takes the lock, and the other never does.
package main

import "sync"

var x int

func main() {
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	wg.Go(func() {
		mu.Lock()
		x = 1 // want race(x: write)
		mu.Unlock()
	})
	x = 2 // want race(x: write)
	wg.Wait()
}
