// A finalizer comes after everything that touched its object.
package main

import (
	"fmt"
	"runtime"
)

type resource struct {
	next *resource
	data [8]int
}

func main() {
	sum := make(chan int, 1)
	acquire(sum)
	for range 2 {
		runtime.GC()
	}
	fmt.Println(<-sum)
}

//go:noinline
func acquire(sum chan int) {
	r := &resource{next: new(resource)}
	runtime.SetFinalizer(r, func(r *resource) {
		r.data[0]++
		sum <- r.data[0] + r.data[1]
	})
	done := make(chan bool)
	go func() {
		r.data[1] = 41
		close(done)
	}()
	<-done
}
