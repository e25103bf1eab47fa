// Two writes are only ordered because both goroutines print in between.
package main

import (
	"fmt"
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
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1              // want reason(luck)
		fmt.Println("one") // want reason(io-order)
		meet(mark, true)
	})
	wg.Go(func() {
		meet(mark, false)
		fmt.Println("two") // want reason(io-order)
		x = 2              // want reason(luck)
	})
	wg.Wait()
}
