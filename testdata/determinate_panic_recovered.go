// A panic that is recovered still runs the deferred Done.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	x := 0
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer func() {
			if recover() != nil {
				x += 10
			}
		}()
		x = 1
		panic("half way")
	}()
	wg.Wait()
	fmt.Println(x)
}
