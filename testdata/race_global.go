// A package variable is written through a pointer and by name.
package main

import "sync"

var level int

func main() {
	var wg sync.WaitGroup
	p := &level
	wg.Go(func() {
		*p = 1 // want race(level: write)
	})
	level = 2 // want race(level: write)
	wg.Wait()
}
