// Nothing is waited for, by several goroutines at once; the WaitGroup is used afterwards.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg, all sync.WaitGroup
	for range 3 {
		all.Go(wg.Wait)
	}
	wg.Wait()
	all.Wait()
	x := 0
	wg.Go(func() { x = 1 })
	for range 3 {
		all.Go(wg.Wait)
	}
	wg.Wait()
	all.Wait()
	fmt.Println(x)
}
