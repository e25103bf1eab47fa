// A future that a context may give up. The branch that does not run also writes the error.
package main

import (
	"context"
	"fmt"
)

type future struct {
	ch    chan int
	value int
	err   error
}

func start(f func() (int, error)) *future {
	fut := &future{ch: make(chan int)}
	go func() {
		fut.value, fut.err = f()
		fut.ch <- 1
	}()
	return fut
}

func (f *future) wait(ctx context.Context) error {
	select { // want reason(select)
	case <-f.ch:
		return f.err
	case <-ctx.Done():
		f.err = ctx.Err()
		return f.err
	}
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f := start(func() (int, error) { return 1, nil })
	fmt.Println(f.wait(ctx), f.value)
}
