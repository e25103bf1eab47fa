// What runs when a context is cancelled, and what stops that, come in no order.
package main

import (
	"context"
	"fmt"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan bool)
	stop := context.AfterFunc(ctx, func() { close(ran) })
	cancelled := make(chan bool)
	go func() {
		cancel()
		close(cancelled)
	}()
	stopped := stop() // want reason(select)
	<-cancelled
	if !stopped {
		<-ran
	}
	fmt.Println(ctx.Err())
}
