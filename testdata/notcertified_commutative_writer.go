// One of two critical sections of a task does not say that its order does not matter. The
// reader may come before both, whatever the last one says.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var (
		wg sync.WaitGroup
		mu sync.RWMutex
		x  int
	)
	wg.Go(func() {
		mu.Lock() // want reason(lock-order)
		x *= 2
		mu.Unlock()
		mu.Lock() //detrace:commutative an addition
		x++
		mu.Unlock()
	})
	wg.Go(func() {
		mu.RLock() //detrace:commutative it is only looked at // want reason(lock-order)
		_ = x
		mu.RUnlock()
	})
	wg.Wait()
	fmt.Println(x)
}
