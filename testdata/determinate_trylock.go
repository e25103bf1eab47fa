// Tries of which the outcome is certain: the lock is held from before they begin until they
// have ended, or only readers are about.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var (
		wg       sync.WaitGroup
		mu       sync.Mutex
		settings sync.RWMutex
		stock    sync.RWMutex
		cache    sync.RWMutex
		got      [5]bool
	)
	mu.Lock()
	settings.Lock()
	stock.RLock()
	cache.RLock()
	wg.Go(func() { got[0] = mu.TryLock() })
	wg.Go(func() { got[1] = mu.TryLock() })
	wg.Go(func() { got[2] = settings.TryRLock() })
	wg.Go(func() { got[3] = stock.TryLock() })
	wg.Go(func() {
		if got[4] = cache.TryRLock(); got[4] {
			cache.RUnlock()
		}
	})
	wg.Go(func() {
		cache.RLock()
		cache.RUnlock()
	})
	wg.Wait()
	cache.RUnlock()
	stock.RUnlock()
	settings.Unlock()
	mu.Unlock()
	fmt.Println(got)
}
