// A task writes before and after a send, and both writes race: the second does
// not make the first forgotten.
package main

var x int

func main() {
	parting, ended := make(chan bool, 1), make(chan bool)
	go func() {
		x = 1 // want race(first: write)
		parting <- true
		x = 2 // want race(second: write)
		close(ended)
	}()
	x = 3 // want race(first: write) race(second: write)
	<-ended
}
