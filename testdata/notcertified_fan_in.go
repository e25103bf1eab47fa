// Two senders to one channel: the schedule decides whose value comes first.
package main

import "fmt"

func main() {
	ch := make(chan int, 2)
	for i := range 2 {
		go func() {
			ch <- i // want reason(channel-order)
		}()
	}
	a := <-ch
	b := <-ch
	fmt.Println(a, b)
}
