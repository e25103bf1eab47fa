// The variable that holds the channel is itself shared.
package main

func main() {
	ready, ended := make(chan bool), make(chan bool)
	other := make(chan bool)
	close(ready)
	close(other)
	go func() {
		<-ready // want race(ready: read)
		close(ended)
	}()
	ready = other // want race(ready: write)
	<-ended
}
