// The plain form: Add before go, Done deferred, Wait by the parent.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var a, b int
	wg.Add(2)
	go func() {
		defer wg.Done()
		a = 1
	}()
	go func() {
		defer wg.Done()
		b = 2
	}()
	wg.Wait()
	fmt.Println(a + b)
}
