// A race that the source says is to be ignored.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	hits := 0
	for range 4 {
		wg.Go(func() {
			hits++ //detrace:ignore a rough number is enough
		})
	}
	wg.Wait()
	fmt.Println("done")
}
