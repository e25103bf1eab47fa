// The goroutine that counts itself has ended when Wait is called, and so it is waited for,
// as long as it is that fast.
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
	dir, err := os.MkdirTemp("", "early")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	mark := filepath.Join(dir, "mark")
	var wg sync.WaitGroup
	x := 0
	go func() {
		wg.Add(1) // want race(wg: read)
		x = 1
		wg.Done()
		meet(mark, true)
	}()
	meet(mark, false)
	wg.Wait() // want race(wg: write)
	fmt.Println(x)
}
