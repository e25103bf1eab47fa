// The producer is left behind at a send that nobody receives.
package main

import "fmt"

func main() {
	ch := make(chan int)
	go func() {
		for i := 0; ; i++ {
			ch <- i
		}
	}()
	fmt.Println(<-ch + <-ch + <-ch)
}
