// Writers from a pool are set to one buffer that all share: a pool hands on the writer and what
// belongs to it, and who had it before wrote to that buffer all the same.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"
)

var writers = sync.Pool{New: func() any { return bufio.NewWriter(io.Discard) }}

func main() {
	shared := new(bytes.Buffer)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			w := writers.Get().(*bufio.Writer)
			w.Reset(shared)
			w.WriteString("one line\n")
			w.Flush() // want race(shared)
			writers.Put(w)
		})
	}
	wg.Wait()
	fmt.Println(shared.Len() > 0)
}
