// The smallest race: a parent and its child write the same variable.
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
}
