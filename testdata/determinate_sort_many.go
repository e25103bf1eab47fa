// Many goroutines sort slices of their own.
package main

import (
	"fmt"
	"slices"
	"sort"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	out := make([][]int, 8)
	for i := range out {
		wg.Go(func() {
			s := make([]int, 200)
			for j := range s {
				s[j] = (j*7919 + i) % 1009
			}
			sort.Slice(s[:100], func(a, b int) bool { return s[a] < s[b] })
			slices.Sort(s)
			out[i] = s
		})
	}
	wg.Wait()
	fmt.Println(out[0][0], out[7][199])
}
