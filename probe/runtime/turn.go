//go:build judged

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// What follows lets package sched hand over between goroutines of which one runs at a time.
// By a channel each hand-over would wake another thread, which looks for work that is not
// there.

//go:linkname detraceHandOver

// detturncame is a turn that came before its goroutine waited for it; 0 is one that
// nobody waits for, and any other value the goroutine that does.
const detturncame = 1

// detraceHandOver says that it is next's turn, and waits until it is own's; nil stands for
// nobody's. One goroutine at a time uses a turn.
func detraceHandOver(next, own *uintptr) {
	if next != nil {
		systemstack(func() { detgiveturn(next) })
	}
	if own != nil {
		gopark(detwaitturn, unsafe.Pointer(own), waitReasonCoroutine, traceBlockGeneric, 1)
	}
}

// detgiveturn is ready for who waits for the turn, but wakes no thread: the caller is about
// to wait.
func detgiveturn(turn *uintptr) {
	if atomic.Casuintptr(turn, 0, detturncame) {
		return
	}
	gp := (*g)(unsafe.Pointer(*turn))
	atomic.Storeuintptr(turn, 0)
	mp := acquirem()
	trace := traceAcquire()
	casgstatus(gp, _Gwaiting, _Grunnable)
	if trace.ok() {
		trace.GoUnpark(gp, 2)
		traceRelease(trace)
	}
	runqput(mp.p.ptr(), gp, true)
	releasem(mp)
}

// detwaitturn notes who waits; false if the turn has come meanwhile.
func detwaitturn(gp *g, turn unsafe.Pointer) bool {
	own := (*uintptr)(turn)
	if atomic.Casuintptr(own, 0, uintptr(unsafe.Pointer(gp))) {
		return true
	}
	atomic.Storeuintptr(own, 0)
	return false
}
