package task

import "sync"

// A Scope is where the tasks of one [Finish] are started. It is safe for
// concurrent use by the tasks of the Finish.
type Scope struct {
	tasks latch
	body  codePointer
	ended bool // written after all tasks ended

	mu      sync.Mutex
	failure *PanicError // guarded by mu
}

// Finish calls body and returns when body has returned and every task of the
// scope has ended: those that body started and those that they started, however
// deep. All of them happen before what follows.
//
// If body panics, Finish waits and body's panic goes on. Else, if tasks
// panicked, Finish panics with the [*PanicError] of one of them; if there are
// several, the schedule decides which.
func Finish(body func(s *Scope)) {
	s := &Scope{body: codeOf(body)}
	rt.open(&s.tasks)
	returned := false
	defer func() {
		s.tasks.wait(async)
		s.ended = true
		if returned {
			s.failure.raise()
		}
	}()
	body(s)
	returned = true
}

// Async starts f as a task of the scope's Finish. What the caller did before
// happens before f; nothing but the end of the Finish comes after f. It may be
// called by any task of the scope until it ends, and on the scope of an outer
// Finish too: the Finish that waits for f is the one that s belongs to, wherever
// the call stands. After the Finish, which a task that it does not wait for can meet,
// it panics with a [*MisuseError].
func (s *Scope) Async(f func()) {
	if s.seemsOver() && s.over() {
		panic(misuse("Async", "its Finish has ended, whose body is at", s.body.place()))
	}
	rt.start(async, &s.tasks, s.child(f))
	// A task of the scope keeps it open while it is here. Any other one races with its end,
	// and detrace sees that by this access.
	if s.over() {
		panic(misuse("Async", "the task that calls it is none that its Finish waits for, whose body is at", s.body.place()))
	}
}

// child is what the task of f does. Race detectors need not see it being made.
//
//go:norace
func (s *Scope) child(f func()) func() {
	return func() {
		guard(f, func(p *PanicError) {
			if p != nil {
				s.fail(p)
			}
			s.tasks.end(async)
		})
	}
}

// seemsOver is over, hidden from race detectors: who calls Async in time looks again.
//
//go:norace
func (s *Scope) seemsOver() bool { return s.ended }

// over says whether the Finish has ended. It is one place of the program for both looks
// of Async, so that which of them is late does not make it two races.
func (s *Scope) over() bool { return s.ended }

func (s *Scope) fail(p *PanicError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = p
	}
}
