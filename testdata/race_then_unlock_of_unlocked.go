// A fatal error of the runtime, which no recover stops, after the race.
//
// exit 2
package main

import "sync"

var x int

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1 // want race(x: write)
	})
	x = 2 // want race(x: write)
	wg.Wait()
	defer func() { _ = recover() }()
	var mu sync.Mutex
	mu.Unlock()
}
