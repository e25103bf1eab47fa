// The program closes every file descriptor it may have, races and exits.
//
// exit 7
package main

import (
	"os"
	"sync"
	"syscall"
)

var x int

func main() {
	for fd := range 256 {
		_ = syscall.Close(fd)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1 // want race(x: write)
	})
	x = 2 // want race(x: write)
	wg.Wait()
	os.Exit(7)
}
