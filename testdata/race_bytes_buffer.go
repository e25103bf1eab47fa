// A bytes.Buffer is not safe for concurrent use: the accesses are inside the
// standard library, the lines reported are those of the calls.
package main

import (
	"bytes"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var b bytes.Buffer
	wg.Go(func() {
		b.WriteString("text") // want race(b: write)
	})
	use(b.Len()) // want race(b: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
