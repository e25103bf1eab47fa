// The program dereferences nil after the race.
//
// exit 2
package main

import "sync"

var nowhere *int

func main() {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() {
		x = 1 // want race(x: write)
	})
	x = 2 // want race(x: write)
	wg.Wait()
	*nowhere = x
}
