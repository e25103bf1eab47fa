// A task reads, then writes: both race with the other's write.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	x := 1
	wg.Go(func() {
		v := x    // want race(read: read)
		x = v + 1 // want race(write: write)
	})
	x = 5 // want race(read: write) race(write: write)
	wg.Wait()
}
