// A generator that closes its channel.
package main

import "fmt"

func main() {
	ch := make(chan int, 4)
	go func() {
		defer close(ch)
		for i := range 100 {
			ch <- i
		}
	}()
	sum := 0
	for v := range ch {
		sum += v
	}
	fmt.Println(sum)
}
