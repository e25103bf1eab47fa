// Two goroutines take turns over two channels and share one variable.
package main

import "fmt"

func main() {
	ping, pong := make(chan bool), make(chan bool)
	x := 1
	go func() {
		for range 20 {
			<-ping
			x *= 2
			pong <- true
		}
	}()
	for range 20 {
		x++
		ping <- true
		<-pong
	}
	fmt.Println(x)
}
