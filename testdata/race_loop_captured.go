// Slices that are exchanged after each step are variables that closures share: what loops do to
// their elements is told together, with the variables, which race where one is exchanged too early.
package main

import (
	"fmt"
	"sync"
)

func main() {
	const n = 400
	now, next, rounds, sum := make([]float64, n), make([]float64, n), 0, 0.0
	for i := range now {
		now[i] = float64(i)
	}
	var wg sync.WaitGroup
	for range 3 {
		for part := range 4 {
			first, last := max(1, part*n/4), min(n-1, (part+1)*n/4)
			wg.Go(func() {
				for i := first; i < last; i++ {
					next[i] = (now[i-1] + now[i] + now[i+1]) / 3
				}
			})
		}
		wg.Wait()
		now, next = next, now
		rounds++
	}
	wg.Go(func() {
		for i := range n / 2 {
			sum += // want race(sum: write)
				now[i] // want race(now: read)
		}
	})
	wg.Go(func() {
		for i := 250; i < n; i++ {
			next[i] = 1 // want race(next: read)
		}
	})
	sum = 1 // want race(sum: write)
	held := now
	now = next  // want race(now: write)
	next = held // want race(next: write)
	wg.Wait()
	wg.Go(func() {
		for i := range n / 2 {
			now[i] = 2 // want race(element: write)
		}
	})
	for i := range n {
		next[n-1-i] = now[i] // want race(element: read)
	}
	wg.Wait()
	fmt.Println(rounds, sum)
}
