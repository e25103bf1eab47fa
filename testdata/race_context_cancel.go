// The value is changed after the context that announced it was cancelled.
package main

import (
	"context"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	x := 0
	wg.Go(func() {
		<-ctx.Done()
		use(x) // want race(x: read)
	})
	cancel()
	x = 5 // want race(x: write)
	wg.Wait()
}

//go:noinline
func use(int) {}
