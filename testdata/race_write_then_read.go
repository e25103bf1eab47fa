// A task writes, then reads, with nothing in between that could order it
// differently: the read adds nothing to what the write says.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	x := 1
	wg.Go(func() {
		x = 2 // want race(x: write)
		use(x)
	})
	x = 5 // want race(x: write)
	wg.Wait()
}

//go:noinline
func use(int) {}
