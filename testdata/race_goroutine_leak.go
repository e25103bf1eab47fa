// The goroutine that races is left behind, blocked for ever.
package main

var x int

func main() {
	written, never := make(chan bool), make(chan bool)
	go func() {
		x = 1 // want race(x: write)
		close(written)
		<-never
	}()
	x = 2 // want race(x: write)
	<-written
}
