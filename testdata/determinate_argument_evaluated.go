// What the goroutine gets by value is not affected by later writes.
package main

import "fmt"

func main() {
	x, out := 1, make(chan int)
	go func(v int) { out <- v }(x)
	x = 2
	fmt.Println(<-out, x)
}
