// Two calls on one buffer are only ordered by prints.
package main

import (
	"bytes"
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
	var buf bytes.Buffer
	var wg sync.WaitGroup
	wg.Go(func() {
		buf.WriteString("one") // want reason(luck)
		fmt.Println("one")     // want reason(io-order)
		meet(mark, true)
	})
	wg.Go(func() {
		meet(mark, false)
		fmt.Println("two")     // want reason(io-order)
		buf.WriteString("two") // want reason(luck)
	})
	wg.Wait()
}
