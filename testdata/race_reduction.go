// A sum without a lock.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	sum := 0
	for i := range 8 {
		wg.Go(func() {
			sum += i // want race(sum)
		})
	}
	wg.Wait()
	fmt.Println(sum <= 28)
}
