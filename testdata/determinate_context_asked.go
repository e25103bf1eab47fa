// Contexts that are looked at before they can be cancelled, or once they are; goroutines that
// cancel the same one in no order, as nobody says why; contexts of workers, made from one
// that outlives them.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	sums := make([]int, 3)
	var wg sync.WaitGroup
	for i := range sums {
		wg.Go(func() {
			own, stop := context.WithTimeout(context.WithValue(ctx, "i", i), time.Hour)
			defer stop()
			if own.Err() == nil {
				sums[i] = own.Value("i").(int)
			}
			inner, stop := context.WithCancel(own)
			defer stop()
			for range 2 {
				go stop()
			}
			<-inner.Done()
			sums[i] += len(inner.Err().Error())
		})
	}
	wg.Wait()
	said := 0
	told := make(chan bool)
	go func() {
		<-ctx.Done()
		fmt.Println(said, ctx.Err(), context.Cause(ctx))
		close(told)
	}()
	said = 1
	cancel(errors.New("enough"))
	<-told
	cancel(nil)
	fmt.Println(sums, context.Cause(ctx))
}
