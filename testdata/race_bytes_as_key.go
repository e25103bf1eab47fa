// Bytes that are a key for once: the compiler looks them up where they are, without a copy.
package main

import (
	"sync"
	"unique"
)

func main() {
	var wg sync.WaitGroup
	m := map[string]int{"key": 1}
	b := [][]byte{[]byte("key"), []byte("key"), []byte("key")}
	wg.Go(func() {
		delete(m, string(b[0])) // want race(delete: read)
	})
	wg.Go(func() {
		_ = unique.Make(string(b[1])) // want race(unique: read)
	})
	wg.Go(func() {
		s := string(b[2]) // want race(lookup: read)
		use(map[string]int{"key": 1}[s])
	})
	b[0][2] = 'x' // want race(delete: write)
	b[1][2] = 'x' // want race(unique: write)
	b[2][2] = 'x' // want race(lookup: write)
	wg.Wait()
}

//go:noinline
func use(int) {}
