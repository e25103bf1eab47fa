// Goexit ends the goroutine, and its deferred calls join it.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	x := 0
	wg.Add(1)
	go func() {
		defer wg.Done()
		func() {
			defer func() { x += 10 }()
			x = 1
			runtime.Goexit()
		}()
		x = 100
	}()
	wg.Wait()
	fmt.Println(x)
}
