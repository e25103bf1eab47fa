// A cleanup comes after everything that touched its object.
package main

import (
	"fmt"
	"runtime"
)

type resource struct {
	log  *[4]int
	data [8]int
}

func main() {
	log, done := new([4]int), make(chan bool)
	acquire(log, done)
	for range 2 {
		runtime.GC()
	}
	<-done
	fmt.Println(*log)
}

//go:noinline
func acquire(log *[4]int, done chan bool) {
	r := &resource{log: log}
	runtime.AddCleanup(r, func(log *[4]int) {
		log[1] = log[0] + 1
		close(done)
	}, log)
	r.log[0] = 41
	r.data[0] = 1
}
