// The grandchild is waited for as well.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var child, grandchild sync.WaitGroup
	x := 0
	child.Go(func() {
		grandchild.Go(func() { x = 1 })
	})
	child.Wait()
	grandchild.Wait()
	fmt.Println(x)
}
