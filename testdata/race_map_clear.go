// Clear of a map writes it.
//
// exit 0 or 2: the map itself may notice and stop the program.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	m := map[string]int{"a": 1, "b": 2}
	wg.Go(func() {
		clear(m) // want race(m: write)
	})
	use(m["a"]) // want race(m: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
