// The order of the elements is the order in which the lock was got.
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
	for i := range 3 {
		wg.Go(func() {
			mu.Lock() // want reason(lock-order)
			out = append(out, i)
			mu.Unlock() // want reason(lock-order)
		})
	}
	wg.Wait()
	fmt.Println(out)
}
