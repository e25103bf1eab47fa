// Whoever stores first wins.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var m sync.Map
	for i := range 4 {
		wg.Go(func() {
			m.LoadOrStore("key", i) // want reason(atomic)
		})
	}
	wg.Wait()
	fmt.Println(m.Load("key"))
}
