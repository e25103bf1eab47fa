// The producer fills the buffer again while the consumer may still read what
// it was sent.
package main

import "fmt"

func main() {
	ch := make(chan []byte)
	go func() {
		buf := make([]byte, 8)
		for i := range 4 {
			for j := range buf {
				buf[j] = byte(i) // want race(buf: write)
			}
			ch <- buf
		}
		close(ch)
	}()
	n := 0
	for b := range ch {
		for j := range b {
			n += int(b[j]) // want race(buf: read)
		}
	}
	fmt.Println(n >= 0)
}
