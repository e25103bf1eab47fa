// How many messages wait in a channel depends on how far the sender is: each schedule prints
// another number.
package main

import (
	"fmt"
	"sync"
)

func main() {
	queue := make(chan int, 8)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 8 {
			queue <- i // want reason(channel-order)
		}
	})
	fmt.Println("so far:", len(queue) > 4) // want reason(channel-order)
	wg.Wait()
	fmt.Println(len(queue))
}
