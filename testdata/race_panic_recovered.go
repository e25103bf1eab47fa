// The handler of a recovered panic writes after Done.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	x := 0
	ended := make(chan bool)
	wg.Add(1)
	go func() {
		defer close(ended)
		defer func() {
			if recover() != nil {
				x = 1 // want race(x: write)
			}
		}()
		defer wg.Done()
		panic("half way")
	}()
	wg.Wait()
	use(x) // want race(x: read)
	<-ended
}

//go:noinline
func use(int) {}
