// Whether the default is taken depends on how far the sender has come.
package main

import "fmt"

func main() {
	ch := make(chan int, 1)
	go func() { ch <- 1 }()
	got := 0
	select {
	case got = <-ch: // want reason(select)
	default:
	}
	fmt.Println(got)
}
