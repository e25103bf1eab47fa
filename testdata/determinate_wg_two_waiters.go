// Two goroutines wait for the same group and both read its result.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var worker, readers sync.WaitGroup
	x := 0
	var seen [2]int
	worker.Go(func() { x = 7 })
	for i := range seen {
		readers.Go(func() {
			worker.Wait()
			seen[i] = x
		})
	}
	readers.Wait()
	fmt.Println(seen)
}
