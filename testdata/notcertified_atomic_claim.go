// Workers claim their items with an atomic counter and note who did what.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	var wg sync.WaitGroup
	var next atomic.Int64
	var owner [8]int
	for w := range 2 {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1 // want reason(atomic)
				if i >= int64(len(owner)) {
					return
				}
				owner[i] = w
			}
		})
	}
	wg.Wait()
	fmt.Println(owner)
}
