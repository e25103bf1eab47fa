// A chain of a thousand nested goroutines; each one waits for its child and
// then writes the variable that all of them write.
package main

import "fmt"

var x int

func nest(depth int, done chan bool) {
	if depth > 0 {
		child := make(chan bool)
		go nest(depth-1, child)
		<-child
	}
	x = x*7 + depth
	x %= 1000003
	close(done)
}

func main() {
	done := make(chan bool)
	go nest(1000, done)
	<-done
	fmt.Println(x)
}
