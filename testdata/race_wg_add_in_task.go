// A goroutine counts itself, when the other may have found that there is nothing to wait for.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	ended := make(chan bool)
	go func() {
		wg.Add(1) // want race(wg: read)
		defer close(ended)
		wg.Done()
	}()
	wg.Wait() // want race(wg: write)
	<-ended
}
