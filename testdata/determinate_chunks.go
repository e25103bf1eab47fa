// Half-open chunks do not overlap.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	a := make([]int, 32)
	for lo := 0; lo < 32; lo += 16 {
		wg.Go(func() {
			for i := lo; i < lo+16; i++ {
				a[i] = i
			}
		})
	}
	wg.Wait()
	fmt.Println(a[15], a[16])
}
