// A send over an unbuffered channel orders what comes before it before what
// comes after its receive.
package main

import "fmt"

func main() {
	x := 0
	ch := make(chan int)
	go func() {
		x = 1
		ch <- 1
	}()
	<-ch
	fmt.Println(x)
}
