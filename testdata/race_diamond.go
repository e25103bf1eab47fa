// The diamond with one edge missing: the bottom waits for the left side only.
package main

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
		c = a + 2 // want race(c: write)
		close(right)
	}()
	go func() {
		<-left
		bottom <- b * c // want race(c: read)
	}()
	<-bottom
	<-right
}
