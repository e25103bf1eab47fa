// Both goroutines print between their writes.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() {
		x = 1              // want race(x)
		fmt.Println("one") // want reason(io-order)
	})
	wg.Go(func() {
		fmt.Println("two") // want reason(io-order)
		x = 2              // want race(x)
	})
	wg.Wait()
	fmt.Println(x > 0)
}
