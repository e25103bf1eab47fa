// Adding floating point numbers in another order gives another sum.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		sum float64
	)
	for _, v := range []float64{1e16, 1, -1e16, 1} {
		wg.Go(func() {
			mu.Lock() // want reason(lock-order)
			sum += v
			mu.Unlock() // want reason(lock-order)
		})
	}
	wg.Wait()
	fmt.Println(sum)
}
