// The receive of item i comes before the end of the send of item i+capacity,
// so a ring of capacity slots plus one can be written again.
package main

import "fmt"

func main() {
	const capacity = 2
	var ring [capacity + 2]int
	ch := make(chan int, capacity)
	go func() {
		for i := range 40 {
			ring[i%len(ring)] = i
			ch <- i
		}
		close(ch)
	}()
	sum := 0
	for i := range ch {
		sum += ring[i%len(ring)]
	}
	fmt.Println(sum)
}
