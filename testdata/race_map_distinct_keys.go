// Different keys do not help: a map is one object.
//
// exit 0 or 2: the map itself may notice and stop the program.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	m := make(map[int]int, 100)
	for i := range 4 {
		wg.Go(func() {
			m[i] = i // want race(m)
		})
	}
	wg.Wait()
}
