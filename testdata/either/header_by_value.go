// A slice is passed by value to goroutines that append to the variable under a lock. A lock
// that a later goroutine was first to take orders the read of the go statement before an
// earlier goroutine's append.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		out []int
	)
	for i := range 2 {
		wg.Add(1)
		go func(i int, results []int) { // want race(out)
			defer wg.Done()
			mu.Lock()                         // want reason(lock-order)
			out = append(out, i+len(results)) // want race(out)
			mu.Unlock()                       // want reason(lock-order)
		}(i, out)
	}
	wg.Wait()
	fmt.Println(len(out))
}
