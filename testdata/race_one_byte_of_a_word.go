// Every goroutine has a byte of one word; only byte 3 has two writers.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	var word [8]byte
	for i := range word {
		wg.Go(func() {
			word[i] = byte(i) // want race(byte: write)
		})
	}
	wg.Go(func() {
		word[3] = 9 // want race(byte: write)
	})
	wg.Wait()
}
