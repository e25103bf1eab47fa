// Two senders to one channel without a buffer.
package main

import "fmt"

func main() {
	ch := make(chan int)
	for i := range 2 {
		go func() {
			ch <- i // want reason(channel-order)
		}()
	}
	a := <-ch
	b := <-ch
	fmt.Println(a, b)
}
