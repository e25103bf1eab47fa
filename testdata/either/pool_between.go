// Both goroutines use one pool between their writes.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	pool := sync.Pool{New: func() any { return new([64]byte) }}
	x := 0
	wg.Go(func() {
		x = 1 // want race(x)
		pool.Put(pool.Get())
	})
	wg.Go(func() {
		pool.Put(pool.Get())
		x = 2 // want race(x)
	})
	wg.Wait()
	fmt.Println(x > 0)
}
