// The chunks include their upper bound, so neighbours share one element.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	a := make([]int, 33)
	for lo := 0; lo < 32; lo += 16 {
		wg.Go(func() {
			for i := lo; i <= lo+16; i++ {
				a[i] = i // want race(a: write)
			}
		})
	}
	wg.Wait()
}
