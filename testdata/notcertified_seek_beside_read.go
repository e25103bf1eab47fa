// A read of a file goes on where another goroutine has moved it to, or does not.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sync"
)

func main() {
	f, err := os.CreateTemp("", "beside")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	f.WriteString("0123456789")
	f.Seek(0, io.SeekStart)
	var wg sync.WaitGroup
	line := ""
	wg.Go(func() {
		line, _ = bufio.NewReader(f).ReadString('\n') // want reason(io-order)
	})
	wg.Go(func() {
		f.Seek(4, io.SeekStart) // want reason(io-order)
	})
	wg.Wait()
	fmt.Println(line)
}
