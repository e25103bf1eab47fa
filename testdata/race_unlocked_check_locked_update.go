// The best value is compared without the lock and updated with it. Whoever
// comes second has compared without being ordered after the first update.
package main

import "sync"

var (
	mu   sync.Mutex
	best int
)

func offer(v int) {
	if v > best { // want race(best: read)
		mu.Lock()
		if v > best {
			best = v // want race(best: write)
		}
		mu.Unlock()
	}
}

func main() {
	var wg sync.WaitGroup
	wg.Go(func() { offer(1) })
	wg.Go(func() { offer(2) })
	wg.Wait()
}
