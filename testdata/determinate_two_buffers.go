// Two buffers in turn over an unbuffered channel: the receipt of the next one
// says that the last one has been read.
package main

import "fmt"

func main() {
	ch := make(chan []byte)
	go func() {
		bufs := [2][]byte{make([]byte, 8), make([]byte, 8)}
		for i := range 6 {
			buf := bufs[i%2]
			for j := range buf {
				buf[j] = byte(i)
			}
			ch <- buf
		}
		close(ch)
	}()
	n := 0
	for b := range ch {
		for j := range b {
			n += int(b[j])
		}
	}
	fmt.Println(n)
}
