// Two goroutines store under the same key of a map.
//
// exit 0 or 2: the map itself may notice and stop the program.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	m := map[string]int{}
	wg.Go(func() {
		m["key"] = 1 // want race(m: write)
	})
	wg.Go(func() {
		m["key"] = 2 // want race(m: write)
	})
	wg.Wait()
}
