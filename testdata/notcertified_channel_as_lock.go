// A channel of capacity one used as a lock: no race, but the order of the
// critical sections is the schedule's.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	lock := make(chan int, 1)
	x := 1
	for i := range 2 {
		wg.Go(func() {
			lock <- i   // want reason(channel-order)
			x = x*3 + i // want reason(luck)
			<-lock      // want reason(channel-order)
		})
	}
	wg.Wait()
	fmt.Println(x)
}
