// A context made from one that another goroutine cancels may be cancelled from the start.
package main

import (
	"context"
	"fmt"
)

func main() {
	parent, cancel := context.WithCancel(context.Background())
	cancelled := make(chan bool)
	go func() {
		cancel()
		close(cancelled)
	}()
	ctx, stop := context.WithCancel(parent) // want reason(select)
	early := ctx.Err() != nil               // want reason(select)
	<-cancelled
	stop()
	fmt.Println(early || true, ctx.Err())
}
