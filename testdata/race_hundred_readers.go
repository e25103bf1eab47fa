// A hundred readers in parallel, one of which is not joined before the write.
package main

import "sync"

func main() {
	var joined, late sync.WaitGroup
	x := 0
	for i := range 100 {
		if i == 50 {
			late.Go(func() {
				use(x) // want race(x: read)
			})
			continue
		}
		joined.Go(func() { use(x) })
	}
	joined.Wait()
	x = 1 // want race(x: write)
	late.Wait()
}

//go:noinline
func use(int) {}
