// A future that closes its channel can be got by several tasks.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	result := 0
	done := make(chan bool)
	go func() {
		result = 5
		close(done)
	}()
	var a, b int
	wg.Go(func() {
		<-done
		a = result + 1
	})
	<-done
	b = result + 2
	wg.Wait()
	fmt.Println(a, b)
}
