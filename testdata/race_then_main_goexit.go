// The main goroutine ends itself after the race: the runtime calls it a
// deadlock when nobody else is left.
//
// exit 2
package main

import (
	"runtime"
	"sync"
)

var x int

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1 // want race(x: write)
	})
	x = 2 // want race(x: write)
	wg.Wait()
	runtime.Goexit()
}
