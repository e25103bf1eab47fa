// A value is encoded while nothing but the encoder's own cache orders that after the write.
package main

import (
	"encoding/json"
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

type point struct{ X, Y int }

func main() {
	dir, err := os.MkdirTemp("", "luck")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	mark := filepath.Join(dir, "mark")
	var p point
	var wg sync.WaitGroup
	wg.Go(func() {
		p.X = 1 // want reason(luck)
		json.Marshal(point{})
		meet(mark, true)
	})
	wg.Go(func() {
		meet(mark, false)
		json.Marshal(point{})
		json.Marshal(&p) // want reason(luck)
	})
	wg.Wait()
}
