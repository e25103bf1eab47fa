// Converting bytes to a string reads all of them.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	b := []byte("some bytes that are long enough to need an allocation")
	wg.Go(func() {
		b[7] = 'x' // want race(b: write)
	})
	s := string(b) // want race(b: read)
	use(s)
	wg.Wait()
}

//go:noinline
func use(string) {}
