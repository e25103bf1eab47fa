// The length of a channel is asked for by who knows it: the only one that sends and receives,
// or after all others, or where there is no buffer.
package main

import (
	"fmt"
	"sync"
)

func main() {
	own := make(chan int, 4)
	for i := range 3 {
		own <- i
	}
	fmt.Println(len(own), cap(own))
	for len(own) > 0 {
		fmt.Println(<-own)
	}

	filled := make(chan int, 8)
	direct := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 8 {
			filled <- i
		}
		direct <- len(filled)
	})
	fmt.Println(len(direct), <-direct, len(filled))
	wg.Wait()
	for len(filled) > 0 {
		fmt.Println(<-filled)
	}
}
