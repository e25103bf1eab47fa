//go:build detrace_parallel

package task

import (
	"sync"
	_ "unsafe" // for linkname

	"github.com/detrace/detrace/reach"
)

// This executor makes every task a goroutine, as without detrace, and tells detrace
// of each construct. Only programs that detrace builds have it. How its goroutines
// wait for each other is no order: that is what the constructs say.
type executor struct{}

//go:linkname detraceEnter runtime.detraceEnter
func detraceEnter(futures bool) (self uint32)

//go:linkname detraceGo runtime.detraceGo
func detraceGo(child uint32)

// enter hides the executor and returns the running task, which leave takes.
func enter() (self uint32) { return detraceEnter(futures) }

// A latch counts what others wait for. The zero latch is open.
type latch struct {
	told
	wg sync.WaitGroup

	mu      sync.Mutex // guards told of a scope, which several tasks may use, and the rest
	running int        // tasks
}

// promised makes l that of a promise.
func (executor) promised(l *latch) {
	self := enter()
	l.promises()
	l.wg.Add(1)
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

func (l *latch) adds(c construct, self uint32) (child uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	child = l.starts(c, self)
	l.running++
	l.wg.Add(1)
	return child
}

// end is the last thing that a task does, or the set of a promise.
func (l *latch) end(c construct) {
	self := enter()
	if c == set {
		tell(reach.Set, self, 0, l.promise)
		l.wg.Done()
		leave(self)
		return
	}
	ends(self)
	l.mu.Lock()
	l.running--
	l.mu.Unlock()
	l.wg.Done()
	// The goroutine goes on to its end without a task.
}

// wait waits until the latch is open and tells of the join. A latch that nothing can
// open is the caller's to refuse.
func (l *latch) wait(c construct) {
	self := enter()
	defer leave(self)
	if c == set && l.promise == 0 || c == create && l.task == 0 {
		return
	}
	for l.wg.Wait(); !l.joined(c, self); l.wg.Wait() {
	}
}

// joined tells of the join, if no task has been started meanwhile: a future that was
// created in a finish may do that at any time. It races with the end of the finish.
func (l *latch) joined(c construct, self uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running > 0 {
		return false
	}
	l.joins(c, self)
	return true
}

// ended returns a channel that is closed when the latch opens. Until then a
// goroutine waits. It tells of no join: who learns that the latch is open calls wait.
func (l *latch) ended(construct) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		self := detraceTask(0)
		l.wg.Wait()
		close(ended)
		leave(self)
	}()
	return ended
}
