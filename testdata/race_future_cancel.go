// A future that a context gives up: both then write its error.
package main

import "context"

type future struct {
	ch    chan int
	value int
	err   error
}

func start(f func() (int, error), wrote chan bool) *future {
	fut := &future{ch: make(chan int)}
	go func() {
		fut.value, fut.err = f() // want race(err: write)
		close(wrote)
		select {} // the value comes later than anybody waits
	}()
	return fut
}

func (f *future) wait(ctx context.Context) {
	select {
	case <-f.ch:
	case <-ctx.Done():
		f.err = ctx.Err() // want race(err: write)
	}
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wrote := make(chan bool)
	f := start(func() (int, error) { return 1, nil }, wrote)
	f.wait(ctx)
	<-wrote
}
