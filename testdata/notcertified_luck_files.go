// Two writes are only ordered because the goroutines use files, of different names, in between.
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
	other := filepath.Join(dir, "other")
	os.WriteFile(other, []byte("text"), 0o600)
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1 // want reason(luck)
		os.WriteFile(filepath.Join(dir, "one"), []byte("text"), 0o600)
		meet(mark, true)
	})
	wg.Go(func() {
		meet(mark, false)
		os.ReadFile(other)
		x = 2 // want reason(luck)
	})
	wg.Wait()
}
