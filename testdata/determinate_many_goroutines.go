// Ten thousand goroutines, joined at once.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	out := make([]int32, 10000)
	for i := range out {
		wg.Go(func() { out[i] = int32(i) })
	}
	wg.Wait()
	sum := int32(0)
	for _, v := range out {
		sum += v
	}
	fmt.Println(sum)
}
