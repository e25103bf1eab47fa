// A value receiver locks a copy of the mutex, so nobody is locked out.
package main

import (
	"fmt"
	"sync"
)

type counter struct {
	mu sync.Mutex
	n  *int
}

func (c counter) inc() {
	c.mu.Lock()
	*c.n++ // want race(n)
	c.mu.Unlock()
}

func main() {
	var wg sync.WaitGroup
	c := counter{n: new(int)}
	for range 2 {
		wg.Go(func() { c.inc() })
	}
	wg.Wait()
	fmt.Println(*c.n <= 2)
}
