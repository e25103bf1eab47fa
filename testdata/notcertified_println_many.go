// Many goroutines print: the order of the lines is the schedule's choice.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			fmt.Println("line", i) // want reason(io-order)
		})
	}
	wg.Wait()
}
