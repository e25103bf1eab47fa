// What the creator of a timer did comes before its function.
package main

import (
	"fmt"
	"time"
)

func main() {
	x := 1
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() {
		x++
		close(done)
	})
	<-done
	fmt.Println(x)
}
