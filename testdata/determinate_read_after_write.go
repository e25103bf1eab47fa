// A file is written, then moved, then read, each after the one before. What is written and read
// at positions of its own is in no order and needs none.
package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

func main() {
	f, err := os.CreateTemp("", "after")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Fprint(f, "0123456789") })
	wg.Wait()
	wg.Go(func() { f.Seek(4, io.SeekStart) })
	wg.Wait()
	rest := ""
	wg.Go(func() {
		data, _ := io.ReadAll(f)
		rest = string(data)
	})
	wg.Go(func() { f.WriteAt([]byte("ab"), 0) })
	two := make([]byte, 2)
	wg.Go(func() { f.ReadAt(two, 2) })
	wg.Wait()
	fmt.Println(rest, string(two))
}
