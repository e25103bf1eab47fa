// The two writers are leaves of different branches of a tree of goroutines.
package main

import "sync"

var x int

func branch(depth int, leaf func()) {
	if depth == 0 {
		leaf()
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { branch(depth-1, leaf) })
	wg.Wait()
}

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		branch(6, func() {
			x = 1 // want race(x: write)
		})
	})
	wg.Go(func() {
		branch(3, func() {
			x = 2 // want race(x: write)
		})
	})
	wg.Wait()
}
