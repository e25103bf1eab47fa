// Goroutines append to one slice variable.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var out []int
	for i := range 4 {
		wg.Go(func() {
			out = append(out, i) // want race(out)
		})
	}
	wg.Wait()
	fmt.Println(len(out) <= 4)
}
