// Package sched runs tasks serially and depth-first, switching when one has to
// wait: the order that package reach calls Stacked.
//
// The rule (corrected from the paper on promises, whose "switch to the parent" is
// too loose for its own detector): there is a stack of running tasks. A child that
// starts is pushed and runs at once. A task that ends or blocks is popped and the
// one below goes on, whoever its parent is. Who makes what tasks wait for happen
// pushes them, the first to have blocked on top, and goes on when they have ended
// or blocked again.
//
// A child is a plain nested call until [Scheduler.Switching] says that children may
// have to wait; from then on each has a coroutine of its own, which costs two
// switches of goroutines. A nested child that waits takes the tasks below it in
// its goroutine along; what it waits for must then come from a coroutine.
package sched

import (
	"fmt"
	"slices"
	"strings"
)

// Scheduler runs the tasks of one program, the first of which is the goroutine that
// made it. Its methods are called by the running task only.
type Scheduler struct {
	// Begin, if not nil, is called first in every goroutine that the scheduler makes.
	Begin func()
	// HandOver, if not nil, says that it is next's turn and waits until it is own's; nil
	// stands for nobody's. A turn may come before its goroutine waits for it. Otherwise
	// goroutines hand over by channels.
	HandOver func(next, own *uintptr)

	stack     []*coroutine // the last one runs
	blocked   []*waiter    // first to have blocked first
	switching bool
	ending    []*Queue // to be woken when the running task's body has returned
	idle      []*coroutine
}

// coroutine is a goroutine that runs when it is its turn.
type coroutine struct {
	turn   uintptr // for HandOver
	resume chan struct{}
	body   func() // nil when there is none to come
}

// waiter is a task that is blocked.
type waiter struct {
	*coroutine
	queue *Queue
	what  string
}

// Queue is what tasks wait for until it happens: a promise, the end of a future, of
// a finish. The zero value is ready.
type Queue struct{ waiting int }

// New returns the scheduler of a program whose first task is the caller.
func New() *Scheduler {
	return &Scheduler{stack: []*coroutine{{resume: make(chan struct{})}}}
}

// Switching gives children started from now on coroutines of their own, so that they
// can wait.
func (s *Scheduler) Switching() { s.switching = true }

// Start runs body as a child of the running task and returns when it has ended or
// blocked. body must not panic.
func (s *Scheduler) Start(body func()) {
	if !s.switching {
		body()
		s.wake(s.ended())
		return
	}
	self := s.top()
	var c *coroutine
	if n := len(s.idle); n > 0 {
		c, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		c = &coroutine{resume: make(chan struct{})}
		go s.run(c)
	}
	c.body = body
	s.stack = append(s.stack, c)
	s.handOver(c, self)
}

// run is a coroutine's life: one body after the other.
func (s *Scheduler) run(c *coroutine) {
	if s.Begin != nil {
		s.Begin()
	}
	s.handOver(nil, c)
	for c.body != nil {
		c.body()
		c.body = nil
		s.stack = s.stack[:len(s.stack)-1]
		s.push(s.ended())
		s.idle = append(s.idle, c)
		s.handOver(s.top(), c)
	}
}

// handOver lets next go on, and waits until own is to; nil stands for none.
func (s *Scheduler) handOver(next, own *coroutine) {
	switch {
	case s.HandOver == nil:
		if next != nil {
			next.resume <- struct{}{}
		}
		if own != nil {
			<-own.resume
		}
	case next == nil:
		s.HandOver(nil, &own.turn)
	case own == nil:
		s.HandOver(&next.turn, nil)
	default:
		s.HandOver(&next.turn, &own.turn)
	}
}

// Close ends the coroutines that no task uses. The tasks that are blocked stay so.
func (s *Scheduler) Close() {
	for _, c := range s.idle {
		s.handOver(c, nil)
	}
	s.idle = nil
}

func (s *Scheduler) top() *coroutine { return s.stack[len(s.stack)-1] }

// End says that the running task is over, and that q happen with it; its body returns
// next.
func (s *Scheduler) End(q ...*Queue) { s.ending = append(s.ending, q...) }

func (s *Scheduler) ended() []*Queue {
	q := s.ending
	s.ending = nil
	return q
}

// Wake says that what q stand for has happened: who waits for it runs, and the
// caller goes on afterwards.
func (s *Scheduler) Wake(q ...*Queue) { s.wake(q) }

func (s *Scheduler) wake(q []*Queue) {
	self := s.top()
	if s.push(q) {
		s.handOver(s.top(), self)
	}
}

// push puts the waiters of q on the stack and reports whether there are any.
func (s *Scheduler) push(q []*Queue) (some bool) {
	for _, q := range q {
		some = some || q.waiting > 0
	}
	if !some {
		return false
	}
	kept := s.blocked[:0]
	first := len(s.stack)
	for _, w := range s.blocked {
		if slices.Contains(q, w.queue) {
			w.queue.waiting--
			s.stack = append(s.stack, w.coroutine)
		} else {
			kept = append(kept, w)
		}
	}
	clear(s.blocked[len(kept):])
	s.blocked = kept
	slices.Reverse(s.stack[first:])
	return true
}

// Wait blocks the running task until q is woken. what says what it waits for, and
// where, for a deadlock: when no task is left to run, Wait returns a *Deadlock at
// once, and no method may be called any more.
func (s *Scheduler) Wait(q *Queue, what string) error {
	self := s.top()
	q.waiting++
	s.blocked = append(s.blocked, &waiter{self, q, what})
	s.stack = s.stack[:len(s.stack)-1]
	if len(s.stack) == 0 {
		return s.deadlock()
	}
	s.handOver(s.top(), self)
	return nil
}

// Deadlock is that every task waits. Without a race the same tasks do so in every
// schedule.
type Deadlock struct {
	Waiting []string // what each waits for, the first to have blocked first
}

func (s *Scheduler) deadlock() *Deadlock {
	d := new(Deadlock)
	for _, w := range s.blocked {
		d.Waiting = append(d.Waiting, w.what)
	}
	return d
}

func (d *Deadlock) Error() string {
	return fmt.Sprintf("deadlock: all %d tasks wait: %s", len(d.Waiting), strings.Join(d.Waiting, "; "))
}
