// A pair that races a thousand times is one race with a count.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	a := make([]int, 1000)
	wg.Go(func() {
		for i := range a {
			a[i] = 1 // want race(a: write)
		}
	})
	for i := range a {
		a[i] = 2 // want race(a: write)
	}
	wg.Wait()
}
