// A channel bounds how many goroutines run at once, and the source says that its places are alike.
package main

import (
	"fmt"
	"sync"
)

func main() {
	places := make(chan struct{}, 2)
	squares := make([]int, 20)
	var wg sync.WaitGroup
	for i := range squares {
		wg.Go(func() {
			places <- struct{}{} //detrace:commutative any place will do
			squares[i] = i * i
			<-places //detrace:commutative any place will do
		})
	}
	wg.Wait()
	fmt.Println(squares)
}
