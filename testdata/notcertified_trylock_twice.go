// Two tries that find the lock taken, one after the other: the first says that its outcome does
// not matter, the second does not.
package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		got bool
	)
	mu.Lock()
	wg.Go(func() {
		if mu.TryLock() { //detrace:commutative nothing is done with it
			mu.Unlock() //detrace:commutative nothing is done with it
		}
		if mu.TryLock() { // want reason(lock-order)
			got = true
			mu.Unlock() // want reason(lock-order)
		}
	})
	time.Sleep(20 * time.Millisecond)
	mu.Unlock() //detrace:commutative nothing is done with it // want reason(lock-order)
	wg.Wait()
	fmt.Println(got)
}
