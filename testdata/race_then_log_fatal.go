// log.Fatal is os.Exit(1).
//
// exit 1
package main

import (
	"log"
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
	log.Fatal("after the race")
}
