// Cancelling a context tells all who wait for it.
package main

import (
	"context"
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	parent, cancel := context.WithCancel(context.Background())
	x := 0
	var seen [3]int
	for i := range seen {
		ctx, stop := context.WithCancel(parent)
		defer stop()
		wg.Go(func() {
			<-ctx.Done()
			seen[i] = x
		})
	}
	x = 5
	cancel()
	wg.Wait()
	fmt.Println(seen)
}
