// A deferred call of a goroutine that was ended by Goexit writes after Done.
package main

import (
	"runtime"
	"sync"
)

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
		runtime.Goexit()
	}()
	wg.Wait()
	use(x) // want race(x: read)
	<-ended
}

//go:noinline
func use(int) {}
