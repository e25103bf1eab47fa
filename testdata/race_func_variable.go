// A variable that holds a function is replaced while it is called.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	f := one
	wg.Go(func() {
		f = two // want race(f: write)
	})
	use(f()) // want race(f: read)
	wg.Wait()
}

//go:noinline
func one() int { return 1 }

//go:noinline
func two() int { return 2 }

//go:noinline
func use(int) {}
