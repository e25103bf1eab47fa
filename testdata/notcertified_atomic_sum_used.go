// What an addition returns depends on who was there before.
package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	var (
		wg   sync.WaitGroup
		sum  atomic.Int64
		last [4]int64
	)
	for i := range last {
		wg.Go(func() {
			last[i] = sum.Add(int64(i)) // want reason(atomic)
		})
	}
	wg.Wait()
}
