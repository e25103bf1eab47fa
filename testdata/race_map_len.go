// Len of a map reads it.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	m := map[string]int{"a": 1}
	wg.Go(func() {
		m["b"] = 2 // want race(m: write)
	})
	n := len(m) // want race(m: read)
	wg.Wait()
	fmt.Println(n < 3)
}
