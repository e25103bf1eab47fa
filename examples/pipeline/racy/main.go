// Command racy hashes records in three stages: one makes them, one hashes
// them, one combines the hashes.
//
// The bug: the first stage fills one buffer again and again, although the
// second may still be reading what it was sent. The fixed twin makes a buffer
// for each record.
package main

import (
	"flag"
	"fmt"
)

func main() {
	n := flag.Int("n", 2000, "how many records")
	size := flag.Int("size", 512, "words of a record")
	flag.Parse()

	records := make(chan []uint32, 4)
	hashes := make(chan uint32, 4)
	go produce(records, *n, *size)
	go digest(hashes, records)
	total := uint32(0)
	for h := range hashes {
		total = total*31 + h
	}
	fmt.Printf("%d records, checksum %08x\n", *n, total)
}

// produce sends n records of pseudo-random words.
func produce(records chan<- []uint32, n, size int) {
	defer close(records)
	x := uint32(1)
	buf := make([]uint32, size)
	for range n {
		for i := range buf {
			x = x*1664525 + 1013904223
			buf[i] = x // want race(buffer: write)
		}
		records <- buf
	}
}

// digest sends the FNV-1a hash of every record.
func digest(hashes chan<- uint32, records <-chan []uint32) {
	defer close(hashes)
	for record := range records {
		h := uint32(2166136261)
		for i := range record {
			h = (h ^ record[i]) * 16777619 // want race(buffer: read)
		}
		hashes <- h
	}
}
