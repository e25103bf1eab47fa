// What loops write is copied, and copied back: a copy of numbers reads and writes their elements, and races where
// it goes too far.
package main

import (
	"fmt"
	"sync"
)

func main() {
	const n = 300
	now, next := make([]float64, n), make([]float64, n)
	for i := range now {
		now[i] = float64(i)
	}
	for range 3 {
		var wg sync.WaitGroup
		for part := range 3 {
			wg.Go(func() {
				for i := part * n / 3; i < (part+1)*n/3; i++ {
					next[i] = now[i]*2 + now[n-1-i]
				}
			})
		}
		wg.Wait()
		copy(now, next)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		copy(now[:100], next[:100]) // want race(now: write)
	})
	wg.Go(func() {
		copy(next[200:], now[201:]) // want race(next: write)
	})
	wg.Go(func() {
		copy(make([]float64, n), next[100:201]) // want race(next: read)
	})
	now[200] += now[99] // want race(now: read)
	wg.Wait()
	fmt.Println(now[7], next[9])
}
