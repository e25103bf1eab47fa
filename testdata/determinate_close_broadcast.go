// Closing a channel tells everybody who waits for it.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	x := 0
	ready := make(chan bool)
	var seen [5]int
	for i := range seen {
		wg.Go(func() {
			<-ready
			seen[i] = x + i
		})
	}
	x = 10
	close(ready)
	wg.Wait()
	fmt.Println(seen)
}
