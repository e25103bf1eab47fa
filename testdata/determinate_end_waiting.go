// The goroutines are left behind where they do nothing any more, however late main ends.
package main

import "sync"

func main() {
	x, never := new(int), make(chan int)
	var mu sync.Mutex
	mu.Lock()
	go func() {
		for n := range 1000 {
			*x += n
		}
		<-never
		*x = 1
	}()
	go func() { mu.Lock() }()
	go func() {
		select {}
	}()
}
