// Recursive fork-join on disjoint parts of one slice.
package main

import (
	"fmt"
	"sync"
)

func quicksort(a []int) {
	if len(a) < 2 {
		return
	}
	last := 0
	for i := 1; i < len(a); i++ {
		if a[i] < a[0] {
			last++
			a[last], a[i] = a[i], a[last]
		}
	}
	a[0], a[last] = a[last], a[0]
	var wg sync.WaitGroup
	wg.Go(func() { quicksort(a[:last]) })
	quicksort(a[last+1:])
	wg.Wait()
}

func main() {
	a := make([]int, 300)
	x := uint32(1)
	for i := range a {
		x = x*1664525 + 1013904223
		a[i] = int(x >> 16)
	}
	quicksort(a)
	fmt.Println(a[0], a[150], a[299])
}
