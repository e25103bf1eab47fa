// Slices that are exchanged after each step, and numbers that closures share: loops over them are
// checked together. The last one counts what one goroutine found, when that has ended.
package main

import (
	"fmt"
	"sync"
)

func main() {
	const n = 400
	now, next, length, total := make([]int, n+1), make([]int, n+1), n, 0
	for i := 0; i <= length; i++ {
		now[i] = i
	}
	for range 3 {
		var wg sync.WaitGroup
		for part := range 4 {
			wg.Go(func() {
				for i := part * length / 4; i < (part+1)*length/4; i++ {
					next[i] = now[i]*2 + now[i+1]
				}
			})
		}
		wg.Wait()
		now, next = next, now
		length -= 8
	}
	done := make(chan bool)
	go func() {
		for i := range length {
			total += now[i]
		}
		done <- true
	}()
	<-done
	for i := range now {
		total -= now[i]
	}
	fmt.Println(total)
}
