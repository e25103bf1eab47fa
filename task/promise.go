package task

import (
	"context"
	"runtime"
)

// A Promise is a value that one task sets and any task may wait for. It is safe
// for concurrent use. Make it with [NewPromise].
type Promise[T any] struct {
	set    event
	setter [1]uintptr // a program counter of who called Set
	value  T
}

// NewPromise returns a promise that is not set.
func NewPromise[T any]() *Promise[T] {
	p := new(Promise[T])
	p.set.made = true
	rt.promised(&p.set.latch)
	return p
}

// Set gives the promise its value and lets those go on that wait for it. What
// the caller did before happens before every Get returns. Any task may call it,
// once: a second call panics with a [*MisuseError] that names both.
//
//go:noinline
func (p *Promise[T]) Set(value T) {
	if !p.set.isMade() || !p.set.claimed.CompareAndSwap(false, true) {
		panic(p.misuse())
	}
	if framesAreAsExpected {
		note(&p.setter[0], callersCaller())
	} else {
		runtime.Callers(2, p.setter[:])
	}
	p.value = value
	p.set.end(set)
}

// note is an assignment, hidden from race detectors, to what belongs to who has claimed the promise.
//
//go:norace
func note(to *uintptr, pc uintptr) { *to = pc }

// isMade is made, hidden from race detectors: who sets a promise looks at claimed, too.
//
//go:norace
func (e *event) isMade() bool { return e.made }

func (p *Promise[T]) misuse() error {
	if !p.set.made {
		return misuse("Set of a Promise", "NewPromise did not return it", "")
	}
	// The first Set may still be on its way.
	p.set.wait(set)
	return misuse("Set of a Promise", "it was already set at", place(p.setter[:]...))
}

// Get waits until the promise is set and returns its value. What the setter did
// before Set happens before what follows. Any task may call it, any number of
// times. A Promise that NewPromise did not return makes it panic with a
// [*MisuseError].
func (p *Promise[T]) Get() T {
	p.set.wait(set)
	return p.result()
}

// GetContext is Get, but returns the cause when ctx ends before the promise is
// set.
func (p *Promise[T]) GetContext(ctx context.Context) (T, error) {
	if err := p.set.waitContext(ctx, set); err != nil {
		var none T
		return none, err
	}
	return p.result(), nil
}

// result may be called after the promise was set.
func (p *Promise[T]) result() T {
	if !p.set.made {
		panic(misuse("Get of a Promise", "NewPromise did not return it", ""))
	}
	return p.value
}
