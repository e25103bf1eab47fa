// A hundred readers in parallel, all joined before the write.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	x := 3
	var seen [100]int
	for i := range seen {
		wg.Go(func() { seen[i] = x })
	}
	wg.Wait()
	x = 4
	fmt.Println(x, seen[99])
}
