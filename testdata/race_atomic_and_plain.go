// One side stores atomically, the other reads as if it were alone.
package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	var wg sync.WaitGroup
	var x int64
	wg.Go(func() {
		atomic.StoreInt64(&x, 1) // want race(x: write)
	})
	use(x) // want race(x: read)
	wg.Wait()
}

//go:noinline
func use(int64) {}
