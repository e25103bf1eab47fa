//go:build !detrace_serial

package task

import (
	"context"
	"sync/atomic"
)

// An event is a latch that opens once. The zero event cannot happen.
type event struct {
	latch
	made    bool
	claimed atomic.Bool // it happens now or has happened
}

// waitContext waits for the event or the end of ctx, whose cause it returns. An
// event that has happened wins.
func (e *event) waitContext(ctx context.Context, c construct) error {
	if ctx.Done() == nil || e.claimed.Load() {
		e.wait(c)
		return nil
	}
	select {
	case <-e.ended(c):
		e.wait(c)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A gate keeps all but so many items out of a pipeline; one of a single stage needs
// none. The bound is not an order that a program may rely on, so detectors must not
// see it.
type gate struct {
	lot  int           // so many items enter at one time
	lots chan struct{} // holds one element for each lot that is inside
}

func newGate(stages, bound int) gate {
	if stages == 1 {
		return gate{}
	}
	lot := max(1, bound/4)
	return gate{lot: lot, lots: make(chan struct{}, bound/lot)}
}

// enter waits until there is room for the item of this index, and returns the cause
// when ctx has ended by then.
func (g gate) enter(ctx context.Context, index int) error {
	done := ctx.Done()
	if done != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if g.lots == nil || index%g.lot != 0 {
		return nil
	}
	hideSync()
	defer showSync()
	if done == nil {
		g.lots <- struct{}{}
		return nil
	}
	select {
	case g.lots <- struct{}{}:
		return nil
	case <-done:
		return context.Cause(ctx)
	}
}

// leave is called by the last stage, for each item in order.
func (g gate) leave(index int) {
	if g.lots != nil && index%g.lot == g.lot-1 {
		hideSync()
		<-g.lots
		showSync()
	}
}
