// The value is changed after the channel that announced it was closed.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	x := 0
	ready := make(chan bool)
	for range 3 {
		wg.Go(func() {
			<-ready
			use(x) // want race(x: read)
		})
	}
	x = 1
	close(ready)
	x = 2 // want race(x: write)
	wg.Wait()
}

//go:noinline
func use(int) {}
