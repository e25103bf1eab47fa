// Readers and writers of a map whose order does not matter, and the source says so of both.
package main

import (
	"fmt"
	"sync"
)

type registry struct {
	mu   sync.RWMutex
	uses map[string]int
}

// use counts one more use of a name.
//
//detrace:commutative counters only grow
func (r *registry) use(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.uses[name]++
}

// known is the same whatever was counted before.
func (r *registry) known(name string) bool {
	r.mu.RLock() //detrace:commutative all names are there from the start
	defer r.mu.RUnlock()
	_, ok := r.uses[name]
	return ok
}

func main() {
	var wg sync.WaitGroup
	r := registry{uses: map[string]int{"a": 0}}
	found := make([]bool, 4)
	sizes := make([]int, 4)
	for i := range found {
		wg.Go(func() {
			r.use("a")
			found[i] = r.known("a") && !r.known("b")
		})
		wg.Go(func() {
			l := r.mu.RLocker()
			l.Lock() //detrace:commutative all names are there from the start
			sizes[i] = len(r.uses)
			l.Unlock()
		})
	}
	wg.Wait()
	fmt.Println(r.uses, found, sizes)
}
