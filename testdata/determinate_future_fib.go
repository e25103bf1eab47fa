// Fibonacci numbers with one channel of capacity one as the future of each
// call.
package main

import "fmt"

func fib(n int) int {
	if n < 2 {
		return n
	}
	f := make(chan int, 1)
	go func() { f <- fib(n - 1) }()
	y := fib(n - 2)
	return <-f + y
}

func main() {
	fmt.Println(fib(12))
}
