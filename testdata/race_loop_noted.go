// A loop takes what is above 2 and stops at the first 0, which it reads too.
package main

import "sync"

func main() {
	a, taken := make([]int, 100), make([]int, 100)
	for i := range 80 {
		a[i] = 1 + i%5
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		n := 0
		for i := 0; i < len(a); i++ {
			if a[i] == 0 { // want race(a: read)
				break
			}
			if a[i] > 2 {
				taken[n] = a[i] // want race(taken: write)
				n++
			}
		}
	})
	wg.Go(func() {
		for i := 80; i < 100; i++ {
			a[i] = 0 // want race(a: write)
		}
	})
	wg.Go(func() {
		for i := 47; i < 100; i++ {
			taken[i] = 1 // want race(taken: write)
		}
	})
	wg.Wait()
}
