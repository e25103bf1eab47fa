// Wait finds the counter at zero and does not wait for the task that adds
// itself later.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	x := 0
	start, ended := make(chan bool), make(chan bool)
	go func() {
		<-start
		wg.Add(1)
		x = 1 // want race(x: write)
		wg.Done()
		close(ended)
	}()
	wg.Wait()
	close(start)
	use(x) // want race(x: read)
	<-ended
}

//go:noinline
func use(int) {}
