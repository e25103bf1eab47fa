// Two tasks get one future; the second writes before its get.
package main

import "sync"

var s int

func main() {
	var wg sync.WaitGroup
	done := make(chan bool)
	go func() {
		s = 1 // want race(s: write)
		close(done)
	}()
	s = 2 // want race(s: write)
	wg.Go(func() { <-done })
	<-done
	wg.Wait()
}
