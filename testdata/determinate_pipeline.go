// Three stages, one sender and one receiver for each channel.
package main

import "fmt"

func main() {
	numbers, squares := make(chan int), make(chan *int, 4)
	go func() {
		for i := range 50 {
			numbers <- i
		}
		close(numbers)
	}()
	go func() {
		for n := range numbers {
			sq := n * n
			squares <- &sq
		}
		close(squares)
	}()
	sum := 0
	for sq := range squares {
		sum += *sq
	}
	fmt.Println(sum)
}
