package task

import "context"

// A Group is spawn and sync: it starts tasks and waits for them. The zero Group
// is empty and ready.
//
// A Group belongs to one task, its owner, which alone may call its methods; a
// spawned task that has work to share uses a Group of its own. detrace reports
// another task's call as a race on the Group. A Group must not be copied after
// first use.
type Group struct {
	children latch
	failures failures
}

// Spawn starts f as a task. What the owner did before happens before f. f ends
// before the next Sync returns, and if it panics, Sync does. It panics with a
// [*MisuseError] between a SyncContext that returned an error and the Sync that
// must follow. It costs what WaitGroup.Add and a go statement cost, and 8 bytes
// until the next Sync.
func (g *Group) Spawn(f func()) {
	if more := g.failures.pending(); more != nil {
		panic(misuse("Spawn", "the group must be synced first, after the SyncContext that gave up at", more.gaveUp))
	}
	rt.start(spawn, &g.children, g.child(f, g.failures.slot()))
}

// child is what the task of f does. Race detectors need not see it being made: who runs it
// reads it unseen.
//
//go:norace
func (g *Group) child(f func(), failure **PanicError) func() {
	return func() {
		guard(f, func(p *PanicError) {
			if p != nil {
				*failure = p
			}
			g.children.end(spawn)
		})
	}
}

// Sync waits until every task spawned since the last Sync has ended; they happen
// before what follows. If any of them panicked, Sync panics with the
// [*PanicError] of the one that was spawned first. The Group is then empty, and
// may be used again.
func (g *Group) Sync() {
	n := g.failures.used()
	g.failures.n = 0 // not after the wait, which would put a task that spawns meanwhile in order
	if more := g.failures.pending(); more != nil {
		<-more.ended
		more.ended = nil
	}
	g.children.wait(spawn)
	g.failures.take(n).raise()
}

// SyncContext is Sync, but gives up when ctx ends: then it returns the cause, the
// tasks go on, nothing is known of their order, and the next call must be Sync
// or SyncContext. It returns nil after it did what Sync does.
func (g *Group) SyncContext(ctx context.Context) error {
	if ctx.Done() == nil || g.failures.n == 0 {
		g.Sync()
		return nil
	}
	more := g.failures.rest()
	if more.ended == nil {
		// The waiting must not begin anew while the old one goes on: a WaitGroup
		// may not be waited for twice and then reused.
		more.ended, more.gaveUp = g.children.ended(spawn), here()
	}
	select {
	case <-more.ended:
		g.Sync()
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// failures has a slot for each spawned task, in order of spawning. With a slot of
// its own a task that panics needs no lock, and which of several panics wins is
// no accident. Most groups have few tasks: every byte here costs them.
//
// Under a race detector a task that is not the owner races for n, which Spawn and Sync write
// and SyncContext reads. What else they look at is hidden from it: seven accesses for a task
// that is spawned and joined were a fifth of what judging a short one cost.
type failures struct {
	n    int // slots in use
	few  [2]*PanicError
	more *more
}

// more is what large groups need, and those that use SyncContext.
type more struct {
	chunks [][]*PanicError // all full but the last

	ended  <-chan struct{} // not nil after a SyncContext that gave up
	gaveUp string          // its place
}

// pending returns what belongs to a SyncContext that gave up, nil if there is none.
//
//go:norace
func (f *failures) pending() *more {
	if f.more != nil && f.more.ended != nil {
		return f.more
	}
	return nil
}

// used is how many slots are in use.
//
//go:norace
func (f *failures) used() int { return f.n }

func (f *failures) rest() *more {
	if f.more == nil {
		f.more = new(more)
	}
	return f.more
}

// slot returns the next slot. It stays where it is: the task has a pointer to it.
func (f *failures) slot() **PanicError {
	n := f.used()
	f.n = n + 1
	if n < len(f.few) {
		return &f.few[n]
	}
	return f.rest().slot()
}

func (m *more) slot() **PanicError {
	last := len(m.chunks) - 1
	if last < 0 || len(m.chunks[last]) == cap(m.chunks[last]) {
		size := 8
		if last >= 0 {
			size = min(4*cap(m.chunks[last]), 1024)
		}
		m.chunks = append(m.chunks, make([]*PanicError, 0, size))
		last++
	}
	chunk := &m.chunks[last]
	*chunk = append(*chunk, nil)
	return &(*chunk)[len(*chunk)-1]
}

// take returns the first failure in n slots, nil if there is none, and empties them.
func (f *failures) take(n int) *PanicError {
	first := firstOf(nil, f.few[:min(n, len(f.few))])
	if first != nil {
		f.few = [len(f.few)]*PanicError{}
	}
	if n > len(f.few) {
		for _, chunk := range f.more.chunks {
			first = firstOf(first, chunk)
		}
		f.more.empty()
	}
	return first
}

// empty keeps the largest chunk for later tasks.
func (m *more) empty() {
	if last := len(m.chunks) - 1; last >= 0 {
		m.chunks[0] = m.chunks[last][:0]
		clear(m.chunks[1:])
		m.chunks = m.chunks[:1]
	}
}

//go:norace
func firstOf(first *PanicError, slots []*PanicError) *PanicError {
	for i := 0; first == nil && i < len(slots); i++ {
		first = slots[i]
	}
	return first
}
