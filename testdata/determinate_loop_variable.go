// Each iteration has its own loop variable.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var squares [3]int
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			squares[i] = i * i
		}()
	}
	wg.Wait()
	fmt.Println(squares)
}
