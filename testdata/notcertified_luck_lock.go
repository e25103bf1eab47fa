// A lock that does not protect x orders the two writes, as long as this goroutine is first.
package main

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// meet returns when the other goroutine has passed it by. A directory is no edge.
func meet(dir string, first bool) {
	if first {
		os.Mkdir(dir, 0o700)
		return
	}
	for {
		if _, err := os.Stat(dir); err == nil {
			return
		}
		runtime.Gosched()
	}
}

var x int

func main() {
	dir, err := os.MkdirTemp("", "luck")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	mark := filepath.Join(dir, "mark")
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1     // want reason(luck)
		mu.Lock() // want reason(lock-order)
		mu.Unlock()
		meet(mark, true)
	})
	wg.Go(func() {
		meet(mark, false)
		mu.Lock() // want reason(lock-order)
		mu.Unlock()
		x = 2 // want reason(luck)
	})
	wg.Wait()
}
