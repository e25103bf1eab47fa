// Output of goroutines that somebody waits for, and goroutines left behind that write none.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	done := make(chan string)
	go func() {
		fmt.Println("first")
		done <- "second"
		fmt.Fprintln(io.Discard, "too late")
		done <- "third"
	}()
	fmt.Fprintln(os.Stderr, <-done)
}
