// One of two messages is received. That it is from the goroutine that writes x is luck, which
// is not said: see docs/limits.md.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
	done := make(chan bool, 2)
	x := 0
	go func() {
		x = 1
		done <- true // want reason(channel-order)
		meet(mark, true)
	}()
	go func() {
		meet(mark, false)
		done <- true // want reason(channel-order)
	}()
	<-done
	fmt.Println(x)
	<-done
}
