// Both sides lock, but not the same mutex.
package main

import "sync"

var x int

func main() {
	var (
		wg   sync.WaitGroup
		a, b sync.Mutex
	)
	wg.Go(func() {
		a.Lock()
		x = 1 // want race(x: write)
		a.Unlock()
	})
	wg.Go(func() {
		b.Lock()
		x = 2 // want race(x: write)
		b.Unlock()
	})
	wg.Wait()
}
