// One slot too few: item i is still being read when the slot is written for
// item i+capacity+1.
package main

import "fmt"

func main() {
	const capacity = 2
	var ring [capacity + 1]int
	ch := make(chan int, capacity)
	go func() {
		for i := range 40 {
			ring[i%len(ring)] = i // want race(ring: write)
			ch <- i
		}
		close(ch)
	}()
	sum := 0
	for i := range ch {
		sum += ring[i%len(ring)] // want race(ring: read)
	}
	fmt.Println(sum > 0)
}
