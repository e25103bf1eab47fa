// Two goroutines write to a pipe in memory, and one reads from it.
package main

import (
	"fmt"
	"io"
	"net"
	"sync"
)

func main() {
	reader, writer := io.Pipe()
	near, far := net.Pipe()
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			fmt.Fprint(writer, i) // want reason(io-order)
			fmt.Fprint(near, i)   // want reason(io-order)
		})
	}
	both := make([]byte, 2)
	io.ReadFull(reader, both)
	more := make([]byte, 2)
	io.ReadFull(far, more)
	wg.Wait()
	fmt.Println(len(both), len(more))
}
