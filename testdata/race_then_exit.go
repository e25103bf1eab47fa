// The program calls os.Exit after the race; deferred calls do not run.
//
// exit 7
package main

import (
	"os"
	"sync"
)

var x int

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1 // want race(x: write)
	})
	x = 2 // want race(x: write)
	wg.Wait()
	os.Exit(7)
}
