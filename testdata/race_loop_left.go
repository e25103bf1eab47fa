// A search reads what it looks at, and nothing behind what it finds.
package main

import "sync"

func find(a []int, x int) int {
	for i := range a {
		if a[i] == x { // want race(found: read) race(missed: read)
			return i
		}
	}
	return -1
}

func main() {
	a, b := make([]int, 100), make([]int, 100)
	a[60] = 1
	var wg sync.WaitGroup
	wg.Go(func() { find(a, 1) })
	wg.Go(func() {
		for i := 61; i < 100; i++ {
			a[i] = 2
		}
	})
	wg.Go(func() {
		a[60] = 1 // want race(found: write)
	})
	wg.Go(func() { find(b, 1) })
	wg.Go(func() {
		b[99] = 2 // want race(missed: write)
	})
	wg.Wait()
}
