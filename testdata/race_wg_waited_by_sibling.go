// A sibling waits for the worker, but main reads the result without waiting
// for either.
package main

import "sync"

func main() {
	var worker, sibling sync.WaitGroup
	x := 0
	worker.Go(func() {
		x = 1 // want race(x: write)
	})
	sibling.Go(func() {
		worker.Wait()
		use(x)
	})
	use(x) // want race(x: read)
	sibling.Wait()
}

//go:noinline
func use(int) {}
