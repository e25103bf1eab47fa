// Assembly of the library, and clear of a slice, touch what another goroutine writes: where
// they search, compare, count, sum up and clear.
package main

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var buffers [9][]byte
	for i := range buffers {
		buffers[i] = make([]byte, 256)
	}
	pointers := make([]*int, 8)
	wg.Go(func() {
		buffers[0][9] = 1 // want race(IndexByte: write)
		buffers[1][9] = 1 // want race(Index: write)
		buffers[2][9] = 1 // want race(Count: write)
		buffers[3][9] = 1 // want race(Compare: write)
		buffers[4][9] = 1 // want race(crc32: write)
		buffers[5][9] = 1 // want race(md5: write)
		buffers[6][9] = 1 // want race(sha1: write)
		buffers[7][9] = 1 // want race(maphash: write)
		buffers[8][9] = 1 // want race(clear: write)
		pointers[3] = nil // want race(pointers: write)
	})
	found := bytes.IndexByte(buffers[0], 'x')                       // want race(IndexByte: read)
	found += bytes.Index(buffers[1], []byte("xyz"))                 // want race(Index: read)
	found += bytes.Count(buffers[2], []byte("x"))                   // want race(Count: read)
	found += bytes.Compare(buffers[3], make([]byte, 256))           // want race(Compare: read)
	found += int(crc32.ChecksumIEEE(buffers[4]))                    // want race(crc32: read)
	found += int(md5.Sum(buffers[5])[0])                            // want race(md5: read)
	found += int(sha1.Sum(buffers[6])[0])                           // want race(sha1: read)
	found += int(maphash.Bytes(maphash.MakeSeed(), buffers[7]) & 0) // want race(maphash: read)
	clear(buffers[8])                                               // want race(clear: write)
	clear(pointers)                                                 // want race(pointers: write)
	wg.Wait()
	fmt.Println(found > 0)
}
