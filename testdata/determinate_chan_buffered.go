// Each value of a buffered channel brings what its sender did before.
package main

import "fmt"

func main() {
	var slots [10]int
	ch := make(chan int, 3)
	go func() {
		for i := range slots {
			slots[i] = i * i
			ch <- i
		}
	}()
	sum := 0
	for range slots {
		sum += slots[<-ch]
	}
	fmt.Println(sum)
}
