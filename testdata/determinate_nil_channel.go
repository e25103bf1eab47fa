// A goroutine that waits for ever on a nil channel is left behind.
package main

import "fmt"

func main() {
	var never chan int
	started := make(chan bool)
	x := 0
	go func() {
		x = 1
		close(started)
		<-never
		x = 2
	}()
	<-started
	fmt.Println(x)
}
