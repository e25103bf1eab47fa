// The object is changed after its pointer was published atomically.
package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

type config struct{ limit int }

func main() {
	var wg sync.WaitGroup
	var current atomic.Pointer[config]
	wg.Go(func() {
		for current.Load() == nil {
			runtime.Gosched()
		}
		use(current.Load().limit) // want race(limit: read)
	})
	c := &config{limit: 1}
	current.Store(c)
	c.limit = 2 // want race(limit: write)
	wg.Wait()
}

//go:noinline
func use(int) {}
