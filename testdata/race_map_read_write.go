// A map is read while another goroutine stores into it.
//
// exit 0 or 2: the map itself may notice and stop the program.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	m := map[string]int{"a": 1}
	wg.Go(func() {
		m["b"] = 2 // want race(m: write)
	})
	use(m["a"]) // want race(m: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
