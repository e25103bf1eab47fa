// The mutex is local to the function: every call has its own.
package main

import (
	"fmt"
	"sync"
)

var total int

func add(n int) {
	mu := new(sync.Mutex)
	mu.Lock()
	total += n // want race(total)
	mu.Unlock()
}

func main() {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { add(i) })
	}
	wg.Wait()
	fmt.Println(total <= 3)
}
