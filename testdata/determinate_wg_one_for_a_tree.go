// One WaitGroup for a whole tree of goroutines: children are added by their
// parent before it is done, and only main waits.
package main

import (
	"fmt"
	"sync"
)

var (
	wg    sync.WaitGroup
	nodes [31]int
)

func visit(i int) {
	nodes[i] = i
	for _, child := range []int{2*i + 1, 2*i + 2} {
		if child < len(nodes) {
			wg.Go(func() { visit(child) })
		}
	}
}

func main() {
	wg.Go(func() { visit(0) })
	wg.Wait()
	fmt.Println(nodes)
}
