// The creator of a timer goes on writing.
package main

import "time"

var x = 1

func main() {
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() {
		x = 2 // want race(x: write)
		close(done)
	})
	x = 3 // want race(x: write)
	<-done
}
