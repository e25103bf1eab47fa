// All that is done under the lock stands on one line, and one goroutine has ended before the
// other begins.
package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

func main() {
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		rw  sync.RWMutex
		n   int
		all []int
	)
	add := func() { mu.Lock(); n++; mu.Unlock() }                                         // want reason(lock-order)
	double := func() { mu.Lock(); defer mu.Unlock(); n *= 2 }                             // want reason(lock-order)
	keep := func(k int) { rw.Lock(); all = append(all, k); rw.Unlock() }                  // want reason(lock-order)
	length := func() { rw.RLock(); defer rw.RUnlock(); fmt.Fprint(io.Discard, len(all)) } // want reason(lock-order)
	wg.Go(func() {
		add()
		keep(1)
	})
	time.Sleep(20 * time.Millisecond)
	wg.Go(func() {
		double()
		length()
	})
	wg.Wait()
	fmt.Println(n, all)
}
