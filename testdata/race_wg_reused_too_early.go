// The WaitGroup is used for two rounds; the result of the second is read
// after the Wait of the first.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	var first, second int
	wg.Go(func() { first = 1 })
	wg.Wait()
	wg.Go(func() {
		second = 2 // want race(second: write)
	})
	use(first)
	use(second) // want race(second: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
