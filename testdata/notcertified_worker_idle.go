// One worker takes every item and the other finds the channel closed: another schedule gives
// the other one some.
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

func main() {
	dir, err := os.MkdirTemp("", "luck")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	mark := filepath.Join(dir, "mark")
	jobs := make(chan int, 2)
	jobs <- 1
	jobs <- 2
	close(jobs)
	var wg sync.WaitGroup
	var got [2]int
	worker := func(w int) {
		for j := range jobs { // want reason(channel-order)
			got[w] += j
		}
	}
	wg.Go(func() {
		worker(0)
		meet(mark, true)
	})
	wg.Go(func() {
		meet(mark, false)
		worker(1)
	})
	wg.Wait()
	fmt.Println(got)
}
