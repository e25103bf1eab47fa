//go:build detrace_serial

package task

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	_ "unsafe" // for linkname

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/sched"
)

// This executor runs tasks serially and depth-first, and tells detrace of each
// construct. Only programs that detrace builds have it. While it works, its
// goroutine has no task, so that detrace sees nothing of it.
type executor struct{}

// serial is the one run of the program.
var serial *sched.Scheduler

//go:linkname detraceSerial runtime.detraceSerial
func detraceSerial() (root uint32)

//go:linkname detraceBegin runtime.detraceBegin
func detraceBegin(t uint32)

//go:linkname detraceStructured runtime.detraceStructured
func detraceStructured(t uint32) bool

//go:linkname detraceHandOver runtime.detraceHandOver
func detraceHandOver(next, own *uintptr)

// enter hides the executor and returns the running task, which leave takes.
func enter() (self uint32) {
	self = detraceTask(0)
	if serial == nil {
		detraceTask(self)
		detraceSerial()
		detraceTask(0)
		serial = sched.New()
		serial.Begin, serial.HandOver = func() { detraceTask(0) }, detraceHandOver
	}
	if !detraceStructured(self) {
		fatal("a goroutine that package task did not start uses its constructs, which run serially here: judge this program with -engine native")
	}
	return self
}

// A latch counts what others wait for. The zero latch is open.
type latch struct {
	told
	queue   sched.Queue
	running int
	isSet   bool
}

// promised makes l that of a promise.
func (executor) promised(l *latch) {
	self := enter()
	l.promises()
	serial.Switching()
	leave(self)
}

// start starts a task whose end l waits for, and returns when it has ended or
// blocked. The task must call l.end last.
func (executor) start(c construct, l *latch, task func()) {
	self := enter()
	child := l.starts(c, self)
	l.running++
	serial.Start(func() {
		returned := false
		defer func() {
			if !returned {
				fatal("runtime.Goexit in a task ends its goroutine, which others share in a serial run: judge this program with -engine native")
			}
		}()
		detraceBegin(child)
		task()
		detraceTask(0)
		returned = true
	})
	leave(self)
}

// end is the last thing that a task does, or the set of a promise.
func (l *latch) end(c construct) {
	self := enter()
	if c == set {
		tell(reach.Set, self, 0, l.promise)
		l.isSet = true
		serial.Wake(&l.queue)
		leave(self)
		return
	}
	ends(self)
	if l.running--; l.running == 0 || c == create || c == fork {
		serial.End(&l.queue)
	}
	// The body returns to start, which has no task.
}

// wait waits until the latch is open and tells of the join.
func (l *latch) wait(c construct) {
	self := enter()
	defer leave(self)
	if c == set && !l.isSet {
		tell(reach.Block, self, 0, l.promise)
		l.block("a promise")
	}
	if l.running > 0 {
		l.block([...]string{spawn: "the tasks of a group", async: "the tasks of a finish", create: "a future", fork: "a task on its line"}[c])
	}
	l.joins(c, self)
}

// block waits for others, or ends the program when no task is left to run.
func (l *latch) block(what string) {
	if err := serial.Wait(&l.queue, what+" at "+here()); err != nil {
		fatal(err.Error())
	}
}

func fatal(why string) {
	fmt.Fprintln(os.Stderr, "detrace:", why)
	os.Exit(2)
}

// ended returns a channel that is closed: waiting with a context is only left to
// programs that run natively.
func (l *latch) ended(c construct) <-chan struct{} {
	l.wait(c)
	ended := make(chan struct{})
	close(ended)
	return ended
}

// An event is a latch that opens once. The zero event cannot happen.
type event struct {
	latch
	made    bool
	claimed atomic.Bool
}

// A gate lets the items of a pipeline in: here one after the other.
type gate struct{}

func newGate(int, int) gate { return gate{} }

func (gate) enter(ctx context.Context, _ int) error { return context.Cause(ctx) }

func (gate) leave(int) {}

// waitContext waits for the event: a context that is not done before does not come
// to an end here, where nobody else runs.
func (e *event) waitContext(ctx context.Context, c construct) error {
	if !e.claimed.Load() && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e.wait(c)
	return nil
}
