// The last writer wins, and the schedule decides who that is.
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
	for i := range 2 {
		wg.Go(func() {
			mu.Lock() // want reason(lock-order)
			x = i
			mu.Unlock() // want reason(lock-order)
		})
	}
	wg.Wait()
	fmt.Println(x)
}
