// A sibling waits for the workers and combines their results; main waits for
// the sibling only.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var workers sync.WaitGroup
	parts := make([]int, 4)
	for i := range parts {
		workers.Go(func() { parts[i] = i * i })
	}
	sum := make(chan int, 1)
	go func() {
		workers.Wait()
		n := 0
		for _, p := range parts {
			n += p
		}
		sum <- n
	}()
	fmt.Println(<-sum, parts)
}
