// Every worker fills a map of its own; they are merged after the join.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	parts := make([]map[int]int, 4)
	for w := range parts {
		wg.Go(func() {
			parts[w] = map[int]int{}
			for i := range 50 {
				parts[w][i*w]++
			}
		})
	}
	wg.Wait()
	all := map[int]int{}
	for _, p := range parts {
		for k, v := range p {
			all[k] += v
		}
	}
	fmt.Println(len(all), all[0])
}
