// An interface is two words, but one variable.
package main

import "sync"

var v any

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		v = 1 // want race(v: write)
	})
	v = "two" // want race(v: write)
	wg.Wait()
}
