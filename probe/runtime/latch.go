//go:build judged

package runtime

import "unsafe"

// What follows is how package task waits when it runs the program's tasks in parallel. With
// a WaitGroup and a Mutex the detector was called some forty times for a short task, each
// time for nothing: while package task works, its goroutine has no task.

//go:linkname detraceLatchAdd
//go:linkname detraceLatchEnd
//go:linkname detraceLatchWait
//go:linkname detraceLatchFree

// detlatch is what package task has room for in its latch, which is all zero at first. It
// holds no pointers: goroutines are no garbage while they wait.
type detlatch struct {
	lock    mutex
	waiting guintptr // a list
	running uint32   // what the latch waits for
	held    bool     // somebody has it alone
	bubble  uintptr  // that it was made in, see testing/synctest
}

// detraceLatchAdd makes l wait for one more, as soon as nobody has it alone. With alone the
// caller then has, until detraceLatchFree.
func detraceLatchAdd(l *detlatch, alone bool) {
	lock(&l.lock)
	for l.held {
		l.park()
	}
	if l.running == 0 {
		l.bubble = uintptr(unsafe.Pointer(getg().bubble))
	}
	l.running++
	l.held = alone
	unlock(&l.lock)
}

// detraceLatchEnd says that one of those that l waits for is over.
func detraceLatchEnd(l *detlatch) {
	lock(&l.lock)
	l.running--
	if l.running == 0 {
		l.wake()
	} else {
		unlock(&l.lock)
	}
}

// detraceLatchWait returns when l waits for nothing more. With alone the caller has it
// then, until detraceLatchFree, and nothing more can be added meanwhile.
func detraceLatchWait(l *detlatch, alone bool) {
	lock(&l.lock)
	for l.running > 0 || alone && l.held {
		l.park()
	}
	l.held = l.held || alone
	unlock(&l.lock)
}

// detraceLatchFree ends what Add or Wait alone began.
func detraceLatchFree(l *detlatch) {
	lock(&l.lock)
	l.held = false
	l.wake()
}

// park waits for wake. It is called with the lock, and returns with it.
func (l *detlatch) park() {
	gp := getg()
	gp.schedlink = l.waiting
	l.waiting.set(gp)
	reason := waitReasonSyncWaitGroupWait
	if gp.bubble != nil && l.bubble == uintptr(unsafe.Pointer(gp.bubble)) {
		reason = waitReasonSynctestWaitGroupWait
	}
	goparkunlock(&l.lock, reason, traceBlockSync, 3)
	lock(&l.lock)
}

// wake lets all who wait look again, and gives the lock back.
func (l *detlatch) wake() {
	gp := l.waiting.ptr()
	l.waiting = 0
	unlock(&l.lock)
	for gp != nil {
		next := gp.schedlink.ptr()
		gp.schedlink = 0
		goready(gp, 3)
		gp = next
	}
}
