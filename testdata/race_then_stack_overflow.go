// The program runs out of stack after the race.
//
// exit 2
package main

import (
	"runtime/debug"
	"sync"
)

func main() {
	debug.SetMaxStack(1 << 20)
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() {
		x = 1 // want race(x: write)
	})
	x = 2 // want race(x: write)
	wg.Wait()
	use(deeper(x))
}

func deeper(n int) int {
	return deeper(n+1) + 1
}

//go:noinline
func use(int) {}
