// Two atomic stores of different values.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	var wg sync.WaitGroup
	var x atomic.Int64
	for i := range 2 {
		wg.Go(func() {
			x.Store(int64(i)) // want reason(atomic)
		})
	}
	wg.Wait()
	fmt.Println(x.Load())
}
