// A slice is sorted while its maximum is looked for: both accesses are inside
// the standard library, the lines reported are those of the calls.
package main

import (
	"slices"
	"sort"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	s := []int{6, 5, 4, 3, 2, 1}
	wg.Go(func() {
		sort.Ints(s) // want race(s: write)
	})
	use(slices.Max(s)) // want race(s: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
