// A loop that leaves its slice: what it touched before that counts, what is beyond the
// place where it stopped does not.
package main

import "sync"

func main() {
	a, b := make([]int, 100), make([]int, 60)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { recover() }()
		for i := range a {
			a[i] = b[i] // want race(a: write)
		}
	})
	wg.Go(func() {
		for i := 60; i < 100; i++ {
			a[i] = 1
		}
	})
	wg.Go(func() {
		for i := 50; i < 60; i++ {
			a[i]-- // want race(a: write)
		}
	})
	wg.Wait()
}
