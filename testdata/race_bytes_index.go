// Searching bytes reads them.
package main

import (
	"bytes"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	b := []byte("some bytes that are long enough for the vector instructions")
	wg.Go(func() {
		b[3] = 'x' // want race(b: write)
	})
	use(bytes.IndexByte(b, 'z')) // want race(b: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
