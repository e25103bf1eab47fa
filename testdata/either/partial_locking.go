// One goroutine writes under the lock, the other before it takes the lock.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	x, y := 0, 0
	wg.Go(func() {
		x = 1     // want race(x)
		mu.Lock() // want reason(lock-order)
		y++
		mu.Unlock() // want reason(lock-order)
	})
	wg.Go(func() {
		mu.Lock()   // want reason(lock-order)
		x = 2       // want race(x)
		mu.Unlock() // want reason(lock-order)
	})
	wg.Wait()
	fmt.Println(x+y > 0)
}
