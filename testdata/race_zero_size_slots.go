// Tokens of size zero in a buffered channel are still two messages: the first
// receive is not ordered after what came before the second send.
package main

func main() {
	x := 0
	ch, ended := make(chan struct{}, 2), make(chan bool)
	go func() {
		ch <- struct{}{}
		x = 1 // want race(x: write)
		ch <- struct{}{}
		close(ended)
	}()
	<-ch
	use(x) // want race(x: read)
	<-ch
	<-ended
}

//go:noinline
func use(int) {}
