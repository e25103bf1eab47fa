// Workers range over one channel and write results by index. Which worker gets which item is
// the schedule's choice, also when one of them gets everything.
package main

import (
	"fmt"
	"sync"
)

func main() {
	jobs := make(chan int)
	out := make([]int, 8)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for j := range jobs { // want reason(channel-order)
				out[j] = j * j
			}
		})
	}
	for j := range out {
		jobs <- j
	}
	close(jobs)
	wg.Wait()
	fmt.Println(out)
}
