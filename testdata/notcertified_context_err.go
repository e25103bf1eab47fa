// Whether a context is cancelled by now is the schedule's; that it will be is not.
package main

import (
	"context"
	"fmt"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	rounds := 0
	for ctx.Err() == nil { // want reason(select)
		rounds++
	}
	fmt.Println(rounds >= 0, ctx.Err())
}
