// Three writers, each in parallel with both others: three pairs.
package main

import "sync"

var x int

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1 // want race(one and two) race(one and three)
	})
	wg.Go(func() {
		x = 2 // want race(one and two) race(two and three)
	})
	x = 3 // want race(one and three) race(two and three)
	wg.Wait()
}
