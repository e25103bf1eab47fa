// Two futures get a third, a fourth gets both.
package main

import "fmt"

func main() {
	top, left, right := make(chan bool), make(chan bool), make(chan bool)
	bottom := make(chan int, 1)
	var a, b, c int
	go func() {
		a = 1
		close(top)
	}()
	go func() {
		<-top
		b = a + 1
		close(left)
	}()
	go func() {
		<-top
		c = a + 2
		close(right)
	}()
	go func() {
		<-left
		<-right
		bottom <- b * c
	}()
	fmt.Println(<-bottom)
}
