// Two receivers from one channel: the schedule decides who gets what.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	ch := make(chan int, 2)
	ch <- 1
	ch <- 2
	var got [2]int
	for i := range got {
		wg.Go(func() {
			got[i] = <-ch // want reason(channel-order)
		})
	}
	wg.Wait()
	fmt.Println(got)
}
