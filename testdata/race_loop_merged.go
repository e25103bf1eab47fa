// A merge writes its result in turns from two lines, each of which races where it was.
package main

import "sync"

func main() {
	a, b, to := make([]int, 300), make([]int, 300), make([]int, 600)
	for i := range a {
		a[i], b[i] = 2*i, 2*i+1
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		i, j := 0, 0
		for k := range to {
			if j == len(b) || i < len(a) && a[i] <= b[j] { // want race(b: read)
				to[k] = a[i] // want race(even: write)
				i++
			} else {
				to[k] = b[j] // want race(odd: write)
				j++
			}
		}
	})
	wg.Go(func() {
		for k := 0; k < len(to); k += 2 {
			to[k] = 1 // want race(even: write)
		}
	})
	wg.Go(func() {
		for k := 301; k < len(to); k += 50 {
			to[k] = 1 // want race(odd: write)
		}
		b[299] = 700 // want race(b: write)
	})
	wg.Wait()
}
