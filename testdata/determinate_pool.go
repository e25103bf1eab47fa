// Whoever gets an object from a pool owns it until it is put back.
package main

import (
	"fmt"
	"sync"
)

var pool = sync.Pool{New: func() any { return new([16]int) }}

func main() {
	var wg sync.WaitGroup
	out := make([]int, 8)
	for i := range out {
		wg.Go(func() {
			for range 10 {
				b := pool.Get().(*[16]int)
				for j := range b {
					b[j] = i
				}
				out[i] += b[3] + b[12]
				pool.Put(b)
			}
		})
	}
	wg.Wait()
	fmt.Println(out)
}
