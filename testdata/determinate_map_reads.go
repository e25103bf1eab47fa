// Many goroutines read one map that nobody writes any more.
package main

import (
	"fmt"
	"sync"
)

func main() {
	m := map[int]int{}
	for i := range 100 {
		m[i] = i * i
	}
	var wg sync.WaitGroup
	var sums [4]int
	for w := range sums {
		wg.Go(func() {
			for k, v := range m {
				if k%len(sums) == w {
					sums[w] += v + len(m) + m[k]
				}
			}
		})
	}
	wg.Wait()
	fmt.Println(sums)
}
