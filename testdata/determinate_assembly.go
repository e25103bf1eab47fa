// Searches and comparisons of package bytes read as far as they have to look, and clear writes
// what it clears: what is beyond belongs to others.
package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"sync"
)

func main() {
	b := []byte("abcdefgh--------")
	other := []byte("abcdefgx")
	pointers := make([]*int, 8)
	var wg sync.WaitGroup
	wg.Go(func() {
		b[8], b[9] = 'c', 'd' // found by nobody
		pointers[4] = new(int)
		other[7] = 'y'
	})
	fmt.Println(bytes.IndexByte(b, 'c'), bytes.Index(b, []byte("gh")), bytes.Count(b[:8], []byte("c")),
		bytes.Compare(b, []byte("abx")), bytes.Compare(other, []byte("abcdeg")), crc32.ChecksumIEEE(b[:8]))
	clear(b[:8])
	clear(b[10:])
	clear(pointers[:4])
	clear(pointers[5:])
	clear(b[:0])
	wg.Wait()
	clear(b)
	clear(pointers)
	fmt.Println(bytes.IndexByte(b, 'c'), len(b[8:]), crc32.ChecksumIEEE(b))
}
