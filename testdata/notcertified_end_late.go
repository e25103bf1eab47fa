// What is left behind prints when main has returned, and the goroutines are let go on.
package main

import (
	"fmt"
	"time"
)

func main() {
	go func() {
		for began := time.Now(); time.Since(began) < 100*time.Millisecond; {
		}
		fmt.Println("late") // want reason(end-order)
	}()
}
