// The functions of sync/atomic decide as its types do: who comes last does the work.
package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	var (
		wg   sync.WaitGroup
		n    int64
		last [2]bool
	)
	for i := range last {
		wg.Go(func() {
			if atomic.AddInt64(&n, 1) == 2 { // want reason(atomic)
				last[i] = true
			}
		})
	}
	wg.Wait()
}
