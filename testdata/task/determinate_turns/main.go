// Tasks that wait for one another in the order in which the last one is free first: one keeps
// its thread, one has a stack that grows, one lets memory be collected, one panics. A serial run
// hands over between their goroutines; each must find its thread, stack and panic again.
package main

import (
	"fmt"
	"runtime"

	"github.com/detrace/detrace/task"
)

const n = 40

func main() {
	var promises [n + 1]*task.Promise[int]
	for i := range promises {
		promises[i] = task.NewPromise[int]()
	}
	results := [n]int{}
	task.Finish(func(s *task.Scope) {
		for i := n - 1; i >= 0; i-- {
			s.Async(func() {
				results[i] = follow(promises[i], i)
				promises[i+1].Set(results[i])
			})
		}
		promises[0].Set(1)
	})
	sum := 0
	for _, r := range results {
		sum = sum*31 + r
		sum %= 1_000_003
	}
	fmt.Println(sum)
}

// follow waits for p in one of four ways and goes on from what it is set to.
func follow(p *task.Promise[int], i int) (r int) {
	switch i % 4 {
	case 0:
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return p.Get() + 1
	case 1:
		return deep(p, 300)
	case 2:
		defer runtime.GC()
		return p.Get() * 3 % 1009
	}
	defer func() { r = recover().(int) }()
	panic(p.Get() + i)
}

// deep waits below many frames, and returns through them.
func deep(p *task.Promise[int], frames int) int {
	var room [64]int
	if frames == 0 {
		return p.Get()
	}
	room[frames%len(room)] = deep(p, frames-1)
	return room[frames%len(room)]
}
