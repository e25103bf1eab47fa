package task

import "context"

// A Future is the result of a task. It is safe for concurrent use.
type Future[T any] struct {
	end     event
	value   T
	failure *PanicError
}

// Create starts f as a task and returns its future result. What the caller did
// before happens before f.
func Create[T any](f func() T) *Future[T] {
	fu := new(Future[T])
	fu.end.made = true
	rt.start(create, &fu.end.latch, func() {
		guard(func() { fu.value = f() }, func(p *PanicError) {
			fu.failure = p
			fu.end.claimed.Store(true)
			fu.end.end(create)
		})
	})
	return fu
}

// Get waits for the end of the task, which happens before what follows, and
// returns its result. If the task panicked, every Get panics with the same
// [*PanicError]. Any task may call it, any number of times. A Future that
// [Create] did not return makes it panic with a [*MisuseError].
func (fu *Future[T]) Get() T {
	fu.end.wait(create)
	return fu.result()
}

// GetContext is Get, but returns the cause when ctx ends before the task does.
func (fu *Future[T]) GetContext(ctx context.Context) (T, error) {
	if err := fu.end.waitContext(ctx, create); err != nil {
		var none T
		return none, err
	}
	return fu.result(), nil
}

// result may be called after the task ended.
func (fu *Future[T]) result() T {
	if !fu.end.made {
		panic(misuse("Get of a Future", "Create did not return it", ""))
	}
	fu.failure.raise()
	return fu.value
}
