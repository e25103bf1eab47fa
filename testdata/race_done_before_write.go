// The deferred calls run in reverse: Done comes before the last write.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	x := 0
	ended := make(chan bool)
	wg.Add(1)
	go func() {
		defer close(ended)
		defer func() {
			x = 1 // want race(x: write)
		}()
		defer wg.Done()
	}()
	wg.Wait()
	use(x) // want race(x: read)
	<-ended
}

//go:noinline
func use(int) {}
