// The loop variable is declared outside the loop, so every goroutine reads
// the one that the loop goes on to increment.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	var i int
	for i = 0; i < 3; i++ { // want race(i: write)
		wg.Add(1)
		go func() {
			defer wg.Done()
			use(i) // want race(i: read)
		}()
	}
	wg.Wait()
}

//go:noinline
func use(int) {}
