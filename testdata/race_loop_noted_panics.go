// A loop takes what is above 2 until there is no room: it has read what it has no room for,
// and nothing behind that.
package main

import "sync"

func main() {
	a, taken := make([]int, 100), make([]int, 40)
	for i := range a {
		a[i] = 1 + i%5
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() {
			if recover() == nil {
				println("there is room")
			}
		}()
		n := 0
		for i := range a {
			if a[i] > 2 { // want race(a: read)
				taken[n] = a[i] // want race(taken: write)
				n++
			}
		}
	})
	wg.Go(func() { a[68] = 4 }) // want race(a: write)
	wg.Go(func() {
		for i := 69; i < 100; i++ {
			a[i] = 1
		}
	})
	wg.Go(func() { taken[39]++ }) // want race(taken: write)
	wg.Wait()
}
