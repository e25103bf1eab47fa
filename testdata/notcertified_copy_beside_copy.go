// Two goroutines copy files to one: the system does it for them, without a write that the
// program or the library makes.
package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// temp is a new file, open, with a text.
func temp(text string) *os.File {
	f, err := os.CreateTemp("", "copy")
	if err != nil {
		panic(err)
	}
	f.WriteString(text)
	f.Seek(0, io.SeekStart)
	return f
}

func main() {
	all, one, two := temp(""), temp("one"), temp("two")
	for _, f := range []*os.File{all, one, two} {
		defer os.Remove(f.Name())
		defer f.Close()
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		io.Copy(all, one) // want reason(io-order)
	})
	wg.Go(func() {
		io.Copy(all, two) // want reason(io-order)
	})
	wg.Wait()
	all.Seek(0, io.SeekStart)
	text, _ := io.ReadAll(all)
	fmt.Println(string(text))
}
