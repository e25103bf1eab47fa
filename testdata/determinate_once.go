// Whoever comes first initialises, everybody else sees it done.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var (
		wg   sync.WaitGroup
		once sync.Once
		x    int
		seen [4]int
	)
	for i := range seen {
		wg.Go(func() {
			once.Do(func() { x = 9 })
			seen[i] = x
		})
	}
	wg.Wait()
	fmt.Println(seen)
}
