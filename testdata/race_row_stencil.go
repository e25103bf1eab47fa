// A stencil in place reads the rows of its neighbours while they write them.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	rows := make([]int, 8)
	for i := 1; i < 7; i++ {
		wg.Go(func() {
			above := rows[i-1] // want race(above: read)
			rows[i] = above    // want race(above: write)
		})
	}
	wg.Wait()
}
