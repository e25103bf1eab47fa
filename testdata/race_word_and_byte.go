// A word and a byte inside it, through unsafe: the accesses start at different
// addresses and overlap.
//
// limit: an access is known by its first byte, as the compiler reports it
package main

import (
	"sync"
	"unsafe"
)

func main() {
	var wg sync.WaitGroup
	word := new(uint64)
	third := (*byte)(unsafe.Add(unsafe.Pointer(word), 3))
	wg.Go(func() {
		*word = 1 // want race(word: write)
	})
	*third = 2 // want race(word: write)
	wg.Wait()
}
