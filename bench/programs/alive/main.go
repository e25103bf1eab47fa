// Alive has 100,000 goroutines at the same time.
package main

import (
	"fmt"
	"os"
	"sync"
)

const n = 100_000

func main() {
	start := make(chan struct{})
	out := make([]int, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			out[i] = i
		})
	}
	close(start)
	wg.Wait()
	sum := 0
	for _, v := range out {
		sum += v
	}
	if sum != n*(n-1)/2 {
		fmt.Println("wrong:", sum)
		os.Exit(1)
	}
	fmt.Println(sum)
}
