// Two goroutines initialise with functions of their own: whoever comes first decides.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var (
		wg   sync.WaitGroup
		once sync.Once
		x    int
	)
	wg.Go(func() {
		once.Do(func() { x = 1 }) // want reason(first-caller)
	})
	wg.Go(func() {
		once.Do(func() { x = 2 }) // want reason(first-caller)
	})
	wg.Wait()
	fmt.Println(x > 0)
}
