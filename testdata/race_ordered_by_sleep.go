// Sleeping long enough is no order.
package main

import "time"

func main() {
	x := 0
	done := make(chan bool)
	go func() {
		x = 1 // want race(x: write)
		close(done)
	}()
	time.Sleep(5 * time.Millisecond)
	use(x) // want race(x: read)
	<-done
}

//go:noinline
func use(int) {}
