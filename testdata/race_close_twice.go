// Two goroutines close one channel: the second one panics, whichever it is.
package main

import (
	"fmt"
	"sync"
)

func main() {
	ch := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { _ = recover() }()
		close(ch) // want race(ch)
	})
	func() {
		defer func() { _ = recover() }()
		close(ch) // want race(ch)
	}()
	wg.Wait()
	fmt.Println("closed")
}
