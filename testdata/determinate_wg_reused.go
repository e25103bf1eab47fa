// One WaitGroup for several rounds.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	a := make([]int, 4)
	for range 5 {
		for i := range a {
			wg.Go(func() { a[i] += i })
		}
		wg.Wait()
		for i := range a {
			a[i] += a[(i+1)%len(a)]
		}
	}
	fmt.Println(a)
}
