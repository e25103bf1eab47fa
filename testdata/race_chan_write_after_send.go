// The write comes after the send.
package main

func main() {
	x := 0
	ch := make(chan int, 1)
	ended := make(chan bool)
	go func() {
		ch <- 1
		x = 1 // want race(x: write)
		close(ended)
	}()
	<-ch
	use(x) // want race(x: read)
	<-ended
}

//go:noinline
func use(int) {}
