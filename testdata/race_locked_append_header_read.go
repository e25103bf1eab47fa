// One side appends under a lock, the other reads the length without it. The
// reader never takes the lock, so no order of the lock can hide the pair.
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
	wg.Go(func() {
		mu.Lock()
		out = append(out, 1) // want race(out: write)
		mu.Unlock()
	})
	n := len(out) // want race(out: read)
	wg.Wait()
	fmt.Println(n < 2)
}
