// Two goroutines call one closure, which counts its calls.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	next := counter()
	wg.Go(func() { next() })
	wg.Go(func() { next() })
	wg.Wait()
}

func counter() func() int {
	n := 0
	return func() int {
		n++ // want race(n)
		return 0
	}
}
