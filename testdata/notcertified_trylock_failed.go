// Somebody who finds a lock taken goes on without it: in another schedule the lock has been
// given back by then, or is not yet taken.
package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		got   bool
		tried = make(chan int, 1)
	)
	mu.Lock() // before all, so it is the end of it that matters
	wg.Go(func() {
		got = mu.TryLock() // want reason(lock-order)
		tried <- 1
	})
	time.Sleep(20 * time.Millisecond)
	mu.Unlock() // want reason(lock-order)
	wg.Wait()
	fmt.Println(got, <-tried)
}
