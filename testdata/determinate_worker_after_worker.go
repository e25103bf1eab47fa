// One worker takes every item, and the other, who comes after it, finds the channel closed.
package main

import (
	"fmt"
	"sync"
)

func main() {
	jobs := make(chan int, 2)
	jobs <- 1
	jobs <- 2
	close(jobs)
	first := make(chan bool)
	var wg sync.WaitGroup
	var got [2]int
	worker := func(w int) {
		for j := range jobs {
			got[w] += j
		}
	}
	wg.Go(func() {
		worker(0)
		close(first)
	})
	wg.Go(func() {
		<-first
		worker(1)
	})
	wg.Wait()
	fmt.Println(got)
}
