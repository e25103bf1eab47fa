// A message that nobody waits for passes between the writes, if there is one.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	ch := make(chan int, 1)
	x := 0
	wg.Go(func() {
		x = 1    // want race(x)
		select { // want reason(select)
		case ch <- 1: // want reason(select)
		default:
		}
	})
	wg.Go(func() {
		select { // want reason(select)
		case <-ch: // want reason(select)
		default:
		}
		x = 2 // want race(x)
	})
	wg.Wait()
	fmt.Println(x > 0)
}
