// The order of the critical sections does not matter, and the source says so.
package main

import (
	"fmt"
	"sync"
)

type counter struct {
	mu sync.Mutex
	n  map[string]int
}

// add counts a word.
//
//detrace:commutative counters only grow
func (c *counter) add(word string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[word]++
}

func main() {
	var wg sync.WaitGroup
	c := counter{n: map[string]int{}}
	var mu sync.Mutex
	most := 0
	for i := range 4 {
		wg.Go(func() {
			c.add("a")
			mu.Lock() //detrace:commutative a maximum
			most = max(most, i)
			mu.Unlock()
		})
	}
	wg.Wait()
	fmt.Println(c.n, most)
}
