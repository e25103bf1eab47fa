// A key is deleted while another goroutine looks one up.
//
// exit 0 or 2: the map itself may notice and stop the program.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	m := map[int]bool{1: true, 2: true}
	wg.Go(func() {
		delete(m, 1) // want race(m: write)
	})
	if !m[2] { // want race(m: read)
		panic("2 was never deleted")
	}
	wg.Wait()
}
