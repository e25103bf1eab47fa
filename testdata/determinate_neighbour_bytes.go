// The bytes of one word are different variables.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	word := make([]byte, 64)
	for i := range word {
		wg.Go(func() { word[i] = byte(i) })
	}
	wg.Wait()
	fmt.Println(word[63])
}
