// With a buffer the send does not wait for the receive.
package main

func main() {
	x := 0
	ch := make(chan int, 1)
	ended := make(chan bool)
	go func() {
		x = 1 // want race(x: write)
		<-ch
		close(ended)
	}()
	ch <- 1
	use(x) // want race(x: read)
	<-ended
}

//go:noinline
func use(int) {}
