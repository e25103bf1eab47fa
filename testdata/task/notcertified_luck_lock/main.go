// A lock that does not protect x orders the two writes, as long as the first task has it first.
package main

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/detrace/detrace/task"
)

// meet returns when the other task has passed it by. A directory is no edge.
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

var (
	x    int
	mu   sync.Mutex
	once sync.Once
	y, z int
)

func main() {
	dir, err := os.MkdirTemp("", "luck")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	mark := filepath.Join(dir, "mark")
	task.Finish(func(s *task.Scope) {
		s.Async(func() {
			x = 1 // want reason(luck)
			y = 1 // want reason(luck)
			take()
			get()
			meet(mark, true)
		})
		s.Async(func() {
			meet(mark, false)
			take()
			x = 2     // want reason(luck)
			y = get() // want reason(luck)
		})
	})
}

func take() {
	mu.Lock() // want reason(lock-order)
	mu.Unlock()
}

func get() int {
	once.Do(func() { z = 1 })
	return z
}
