// Two copies meet without overlapping.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	dst := make([]int, 8)
	ones, twos := []int{1, 1, 1, 1}, []int{2, 2, 2, 2}
	wg.Go(func() { copy(dst[:4], ones) })
	wg.Go(func() { copy(dst[4:], twos) })
	wg.Wait()
	fmt.Println(dst)
}
