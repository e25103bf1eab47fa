// The child is joined, its own child is not.
package main

import "sync"

func main() {
	var child, grandchild sync.WaitGroup
	x := 0
	child.Go(func() {
		grandchild.Go(func() {
			x = 1 // want race(x: write)
		})
	})
	child.Wait()
	use(x) // want race(x: read)
	grandchild.Wait()
}

//go:noinline
func use(int) {}
