// One stray early read, then 64 reads in good order, then a write: the write
// races with the stray read, however long ago that was.
package main

import (
	"sync"
	"time"
)

func main() {
	var stray, wg sync.WaitGroup
	x := 1
	stray.Go(func() {
		use(x) // want race(x: read)
	})
	time.Sleep(5 * time.Millisecond)
	for range 64 {
		wg.Go(func() {
			use(x)
		})
	}
	wg.Wait()
	x = 2 // want race(x: write)
	stray.Wait()
}

//go:noinline
func use(int) {}
