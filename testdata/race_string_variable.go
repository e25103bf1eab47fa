// A string is two words, but one variable.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	s := "zero"
	wg.Go(func() {
		s = "one" // want race(s: write)
	})
	use(s) // want race(s: read)
	wg.Wait()
}

//go:noinline
func use(string) {}
