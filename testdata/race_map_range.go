// A map is ranged over while another goroutine stores into it.
//
// exit 0 or 2: the map itself may notice and stop the program.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	m := map[int]int{1: 1}
	wg.Go(func() {
		m[2] = 2 // want race(m: write)
	})
	for range m { // want race(m: read)
	}
	wg.Wait()
}
