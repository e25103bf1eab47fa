// A lazily computed value shared by several goroutines.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	table := sync.OnceValue(func() []int { return []int{1, 2, 3} })
	var seen [3]int
	for i := range seen {
		wg.Go(func() { seen[i] = table()[i] })
	}
	wg.Wait()
	fmt.Println(seen)
}
