// Nobody waits for the goroutines: what they would do is not judged, as the program ends
// while they sleep, wait for a timer or go round in a loop.
package main

import "time"

func main() {
	x := new(int)
	go func() { // want reason(end-order)
		time.Sleep(time.Hour)
		*x = 1
	}()
	go func() { // want reason(end-order)
		<-time.After(time.Hour)
		*x = 2
	}()
	go func() { // want reason(end-order)
		for n := 1; n != 0; n |= 1 {
		}
		*x = 3
	}()
	*x = 4
}
