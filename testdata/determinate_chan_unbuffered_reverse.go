// A receive from an unbuffered channel comes before the end of its send.
package main

import "fmt"

func main() {
	x := 0
	ch := make(chan int)
	go func() {
		x = 1
		<-ch
	}()
	ch <- 1
	fmt.Println(x)
}
