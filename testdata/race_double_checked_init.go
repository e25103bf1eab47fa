// The first check is made without the lock under which the value is set.
// Whichever goroutine sets it, the other one's first check is unordered.
package main

import "sync"

var (
	mu     sync.Mutex
	config *int
)

func ensure() {
	if config == nil { // want race(config: read)
		mu.Lock()
		if config == nil {
			config = new(int) // want race(config: write)
		}
		mu.Unlock()
	}
}

func main() {
	var wg sync.WaitGroup
	wg.Go(ensure)
	wg.Go(ensure)
	wg.Wait()
}
