// The first to swap wins.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	var wg sync.WaitGroup
	var taken atomic.Bool
	var won [2]bool
	for i := range won {
		wg.Go(func() {
			won[i] = taken.CompareAndSwap(false, true) // want reason(atomic)
		})
	}
	wg.Wait()
	fmt.Println(won)
}
