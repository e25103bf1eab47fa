// One reader does not go through the Once.
package main

import "sync"

func main() {
	var (
		wg   sync.WaitGroup
		once sync.Once
		x    int
	)
	wg.Go(func() {
		once.Do(func() {
			x = 9 // want race(x: write)
		})
	})
	use(x) // want race(x: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
