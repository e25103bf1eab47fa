// Groups without a task, tasks without work, accesses of size zero.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	wg.Wait()
	var empty [4]struct{}
	var none []int
	for i := range empty {
		wg.Go(func() {})
		wg.Go(func() {
			empty[i] = struct{}{}
			copy(none, none)
			clear(none)
		})
	}
	wg.Wait()
	fmt.Println(len(empty), len(none))
}
