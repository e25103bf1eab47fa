// Groups within groups: every task joins its own children before it is done.
package main

import (
	"fmt"
	"sync"
)

func main() {
	fmt.Println(count(4))
}

func count(depth int) int {
	if depth == 0 {
		return 1
	}
	var wg sync.WaitGroup
	parts := make([]int, 3)
	for i := range parts {
		wg.Go(func() { parts[i] = count(depth - 1) })
	}
	wg.Wait()
	return parts[0] + parts[1] + parts[2]
}
