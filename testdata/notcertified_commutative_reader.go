// The writers say that their order does not matter, and so does the last of two readers. The
// first keeps what it reads: the sum of whichever writers came before.
package main

import (
	"fmt"
	"sync"
)

type total struct {
	mu sync.RWMutex
	n  int
}

// add is a writer.
//
//detrace:commutative an addition
func (t *total) add(n int) {
	t.mu.Lock() // want reason(lock-order)
	defer t.mu.Unlock()
	t.n += n
}

func main() {
	var wg sync.WaitGroup
	var t total
	seen := 0
	for i := range 3 {
		wg.Go(func() { t.add(i) })
	}
	wg.Go(func() {
		t.mu.RLock() // want reason(lock-order)
		seen = t.n
		t.mu.RUnlock()
		t.add(3)
		t.mu.RLock() //detrace:commutative nothing is kept of it
		_ = t.n
		t.mu.RUnlock()
	})
	wg.Wait()
	fmt.Println(t.n, seen)
}
