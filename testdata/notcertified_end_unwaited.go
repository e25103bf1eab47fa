// Nobody waits for the goroutine: the program may end before it has written anything.
package main

import (
	"fmt"
	"time"
)

func main() {
	go func() {
		fmt.Println("done") // want reason(end-order)
	}()
	time.Sleep(20 * time.Millisecond)
}
