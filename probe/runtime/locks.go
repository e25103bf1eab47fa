//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"unsafe"
)

// What no hook tells of locks: who takes an RWMutex and gives it back, whose own atomic
// operations are not seen; who tries to take a lock and does not get it; what a Once orders.

//go:linkname detraceTried

// detreadersem is how far an RWMutex's readerSem, which stands for the lock, is from its
// writerSem.
const detreadersem = 4

// takes tells that an RWMutex of the program itself is taken, by an access to its
// readerSem at addr, or to its writerSem, which comes after that. The lock's own atomic
// operations are not seen. Readers do not disturb one another.
func (s *detsyncing) takes(addr uintptr) {
	if class := detclass(s.stack); class != detclasslock && class != detclasstry {
		return
	}
	switch {
	case s.kind() == detedgerlock:
		s.access(addr, shadow.AtomicRead)
	case !det.Holds(s.t, addr+detreadersem, true):
		s.access(addr, shadow.AtomicWrite)
	}
}

// gives tells that an RWMutex is given back, as takes does: nobody is disturbed by it but
// those who only try.
func (s *detsyncing) gives(addr uintptr) {
	if detclass(s.stack) != detclassunlock {
		return
	}
	switch s.kind() {
	case detedgerunlock:
		s.access(addr+detreadersem, shadow.AtomicRead)
	case detedgewunlock:
		s.access(addr, shadow.AtomicWrite)
	}
}

// once tells of an operation on the word of a Once that says whether it has run, which is at
// addr: a load by who asks, and a store by who was first, under the lock of the Once.
func (s *detsyncing) once(addr uintptr, asks, ran bool) {
	if asks {
		det.Acquire(s.t, addr+detoncemark)
	}
	if ran {
		detrootlock.Lock()
		det.RanOnce(addr+detoncelock, addr+detoncemark)
		detrootlock.Unlock()
	}
}

// A Once has its lock behind that word. At the mark in the word nothing else synchronises.
const (
	detoncelock = 4
	detoncemark = 2
)

// detraceTried is called by package sync where TryLock or TryRLock fails. It orders nothing.
// What is told of accesses to word is told of the lock: that it is taken and given back. any
// says that readers are in the way too.
//
//go:noinline
func detraceTried(word unsafe.Pointer, any bool) bool {
	others := uintptr(0)
	if any {
		others = 1
	}
	racecall(detop_tried, getg().racectx, uintptr(word), others, 0)
	return false
}

// dettried tells of a try of t that failed. Of an RWMutex readers do not write, so who is in
// their way does; two who try are then taken to be in each other's way.
func dettried(p *detect.Proc, t reach.Task, gp *g, addr uintptr, any bool, bp uintptr) {
	s := detsyncat(p, t, gp, bp, detedgeunknown)
	if det.Local(t).Ignore > 0 || s.stack == 0 || detclass(s.stack) != detclasstry {
		return
	}
	op := shadow.AtomicRead
	if any {
		op = shadow.AtomicWrite
	}
	s.access(addr, op)
	det.Tried(t)
}
