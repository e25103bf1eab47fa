// Who tries to write finds readers in the way, and who tries to read finds writers: whether
// they do depends on the schedule.
package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	var (
		wg             sync.WaitGroup
		full, settings sync.RWMutex
		written, read  bool
	)
	full.RLock()
	wg.Go(func() {
		written = full.TryLock() // want reason(lock-order)
	})
	time.Sleep(20 * time.Millisecond)
	full.RUnlock() // want reason(lock-order)

	wg.Go(func() {
		settings.Lock() // want reason(lock-order)
		time.Sleep(40 * time.Millisecond)
		settings.Unlock() // want reason(lock-order)
	})
	time.Sleep(20 * time.Millisecond)
	if read = settings.TryRLock(); read { // want reason(lock-order)
		settings.RUnlock() // want reason(lock-order)
	}
	wg.Wait()
	fmt.Println(written, read)
}
