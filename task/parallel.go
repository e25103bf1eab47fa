//go:build detrace_parallel

package task

import (
	_ "unsafe" // for linkname

	"github.com/detrace/detrace/reach"
)

// This executor makes every task a goroutine, as without detrace, and tells detrace
// of each construct. Only programs that detrace builds have it. How its goroutines
// wait for each other is no order: that is what the constructs say.
type executor struct{}

//go:linkname detraceEnter runtime.detraceEnter
func detraceEnter(futures, others bool) (self uint32)

//go:linkname detraceGo runtime.detraceGo
func detraceGo(child uint32)

// enter hides the executor and returns the running task, which leave takes.
func enter() (self uint32) { return detraceEnter(futures, others) }

//go:linkname detraceLatchAdd runtime.detraceLatchAdd
func detraceLatchAdd(l *waits, alone bool)

//go:linkname detraceLatchEnd runtime.detraceLatchEnd
func detraceLatchEnd(l *waits)

//go:linkname detraceLatchWait runtime.detraceLatchWait
func detraceLatchWait(l *waits, alone bool)

//go:linkname detraceLatchFree runtime.detraceLatchFree
func detraceLatchFree(l *waits)

// waits is package runtime's: how many tasks a latch waits for, and who waits for it.
type waits [4]uintptr

// A latch counts what others wait for. The zero latch is open.
type latch struct {
	told  // of a scope, which several tasks may use: changed by who has the latch alone
	waits waits
}

// promised makes l that of a promise.
func (executor) promised(l *latch) {
	self := enter()
	l.promises()
	detraceLatchAdd(&l.waits, false)
	leave(self)
}

// start starts a task whose end l waits for. The task must call l.end last.
func (executor) start(c construct, l *latch, task func()) {
	self := enter()
	child := l.adds(c, self)
	detraceGo(child)
	go task()
	leave(self)
}

// adds tells of the start of a task that l waits for from then on. Tasks that start others
// in the scope that they are in do not wait for each other.
func (l *latch) adds(c construct, self uint32) (child uint32) {
	alone := c != async || !l.isAsync(self)
	detraceLatchAdd(&l.waits, alone)
	defer func() {
		if child == 0 { // it is refused
			detraceLatchEnd(&l.waits)
		}
		if alone {
			detraceLatchFree(&l.waits)
		}
	}()
	return l.starts(c, self)
}

// end is the last thing that a task does, or the set of a promise.
func (l *latch) end(c construct) {
	self := enter()
	if c == set {
		tell(reach.Set, self, 0, l.promise)
		detraceLatchEnd(&l.waits)
		leave(self)
		return
	}
	ends(self)
	detraceLatchEnd(&l.waits)
	// The goroutine goes on to its end without a task.
}

// wait waits until the latch is open and tells of the join. A latch that nothing can
// open is the caller's to refuse. A future that was created in a finish may start tasks of it
// at any time: that races with the end of the finish, and comes before the join or after it.
func (l *latch) wait(c construct) {
	self := enter()
	defer leave(self)
	if c == set && l.promise == 0 || c == create && l.task == 0 {
		return
	}
	alone := c != set && c != create
	detraceLatchWait(&l.waits, alone)
	if alone {
		defer detraceLatchFree(&l.waits)
	}
	l.joins(c, self)
}

// ended returns a channel that is closed when the latch opens. Until then a
// goroutine waits. It tells of no join: who learns that the latch is open calls wait.
func (l *latch) ended(construct) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		self := detraceTask(0)
		detraceLatchWait(&l.waits, false)
		close(ended)
		leave(self)
	}()
	return ended
}
