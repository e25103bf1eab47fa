// The first of several workers that fails ends the program, whatever the others have logged.
package main

import (
	"fmt"
	"os"
	"time"
)

// exit 7

func main() {
	go func() {
		fmt.Fprintln(os.Stderr, "warming up") // want reason(end-order)
		select {}
	}()
	go func() {
		time.Sleep(20 * time.Millisecond)
		os.Exit(7)
	}()
	select {}
}
