// Each token of size zero brings what came before its own send.
package main

import "fmt"

func main() {
	var slots [8]int
	ch := make(chan struct{}, 2)
	go func() {
		for i := range slots {
			slots[i] = i
			ch <- struct{}{}
		}
	}()
	sum := 0
	for i := range slots {
		<-ch
		sum += slots[i]
	}
	fmt.Println(sum)
}
