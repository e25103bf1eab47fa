// Two goroutines cancel a context and say why: the first one counts.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			cancel(errors.New(fmt.Sprint("error ", i))) // want reason(first-caller)
		})
	}
	wg.Wait()
	fmt.Println(context.Cause(ctx) != nil)
}
