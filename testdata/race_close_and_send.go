// A send and the close of its channel in parallel: closing first makes the
// send panic.
package main

func main() {
	ch, ended := make(chan int, 1), make(chan bool)
	go func() {
		defer close(ended)
		defer func() { _ = recover() }()
		ch <- 1 // want race(ch)
	}()
	close(ch) // want race(ch)
	<-ended
}
