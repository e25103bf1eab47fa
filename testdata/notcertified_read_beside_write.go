// What is read from a file depends on whether the write to it comes first: both begin where
// the other has ended.
package main

import (
	"fmt"
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
	f.Seek(0, 0)
	var wg sync.WaitGroup
	got := make([]byte, 4)
	wg.Go(func() {
		f.Read(got) // want reason(io-order)
	})
	wg.Go(func() {
		fmt.Fprint(f, "ab") // want reason(io-order)
	})
	wg.Wait()
	fmt.Println(string(got))
}
