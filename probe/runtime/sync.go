//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/runtime/atomic"
	"unsafe"
)

// detatomiclocks make an atomic operation and its edges one step, by address.
var detatomiclocks [256]struct {
	lock offheap.Lock
	_    [60]byte
}

// detsync performs an atomic operation for task t: the access, the operation
// itself, then its edges. Between ignore_sync_begin and end it is nothing but
// the operation.
func detsync(p *detect.Proc, t reach.Task, gp *g, op, pc, args, bp uintptr) {
	if det.Local(t).Ignore > 0 || p == nil {
		detatomic(op, args)
		return
	}
	addr := *(*uintptr)(unsafe.Pointer(args))
	s := detsyncat(p, t, gp, bp, detedgeatomic)
	observed := s.observed(op == detop_go_atomic32_load || op == detop_go_atomic64_load)
	l := &detatomiclocks[(addr>>3)%uintptr(len(detatomiclocks))].lock
	l.LockLong()
	for observed && det.Splits(t, addr) {
		l.Unlock() // others inside wait for it
		det.Split(p)
		l.LockLong()
	}
	acquires, releases := detatomic(op, args)
	kind := shadow.AtomicRead
	if releases {
		kind = shadow.AtomicWrite
	}
	var a shadow.Access
	detplaced(&a, p, kind, pc, s.stack)
	detsynced(&a, s.stack)
	out := det.Access(p, t, addr, 1, pc, &a)
	dettraceaccess(t, addr, 1, &a, out)
	if s.library() {
		s.remembers(addr, acquires, releases)
	}
	if s.stack != 0 && detclass(s.stack) == detclasswrite {
		s.outputs(addr)
	}
	if acquires {
		// Refused is what came since, without l: a lock tells of its Unlock at the
		// same address beforehand, and of its Lock afterwards.
		if news, _ := detacquire(t, addr, observed); news {
			detexchange(p, t, 0, gp, bp)
		}
	}
	if s.kind() == detedgeonce {
		s.once(addr, acquires, releases)
	}
	if releases {
		detreleasemore(t, addr, acquires)
	}
	l.Unlock()
}

// remembers tells of an atomic operation of the library.
func (s *detsyncing) remembers(addr uintptr, acquires, releases bool) {
	if acquires {
		det.LibraryAcquires(s.t, s.key(), addr)
	}
	if releases {
		det.LibraryReleases(s.t, s.key(), addr, acquires)
	}
}

// detatomic performs an atomic operation whose arguments and results lie at
// args, as sync/atomic lays them out: pointer, operands, result. It says which
// edges the operation has.
func detatomic(op, args uintptr) (acquires, releases bool) {
	p := *(*unsafe.Pointer)(unsafe.Pointer(args))
	p32, p64 := (*uint32)(p), (*uint64)(p)
	at32 := func(off uintptr) *uint32 { return (*uint32)(unsafe.Pointer(args + off)) }
	at64 := func(off uintptr) *uint64 { return (*uint64)(unsafe.Pointer(args + off)) }
	switch op {
	case detop_go_atomic32_load:
		*at32(8) = atomic.Load(p32)
		return true, false
	case detop_go_atomic64_load:
		*at64(8) = atomic.Load64(p64)
		return true, false
	case detop_go_atomic32_store:
		atomic.Store(p32, *at32(8))
		return false, true
	case detop_go_atomic64_store:
		atomic.Store64(p64, *at64(8))
		return false, true
	case detop_go_atomic32_exchange:
		*at32(16) = atomic.Xchg(p32, *at32(8))
	case detop_go_atomic64_exchange:
		*at64(16) = atomic.Xchg64(p64, *at64(8))
	case detop_go_atomic32_fetch_add:
		*at32(16) = atomic.Xadd(p32, int32(*at32(8))) - *at32(8)
	case detop_go_atomic64_fetch_add:
		*at64(16) = atomic.Xadd64(p64, int64(*at64(8))) - *at64(8)
	case detop_go_atomic32_fetch_and:
		*at32(16) = atomic.And32(p32, *at32(8))
	case detop_go_atomic64_fetch_and:
		*at64(16) = atomic.And64(p64, *at64(8))
	case detop_go_atomic32_fetch_or:
		*at32(16) = atomic.Or32(p32, *at32(8))
	case detop_go_atomic64_fetch_or:
		*at64(16) = atomic.Or64(p64, *at64(8))
	case detop_go_atomic32_compare_exchange:
		ok := atomic.Cas(p32, *at32(8), *at32(12))
		*(*bool)(unsafe.Pointer(args + 16)) = ok
		return true, ok
	case detop_go_atomic64_compare_exchange:
		ok := atomic.Cas64(p64, *at64(8), *at64(16))
		*(*bool)(unsafe.Pointer(args + 24)) = ok
		return true, ok
	default:
		throw("detrace: unknown operation")
	}
	return true, true
}

// detfoundunordered is told of unordered atomic operations on one variable.
func detfoundunordered(addr uintptr, first, second shadow.Access) {
	one, two := detfull(first), detfull(second)
	if addr == detendsat() {
		if first.Op == shadow.AtomicWrite {
			one = two // written after the end, by who was let go on
		}
		detreason(detreasonend, one, 0)
		return
	}
	before := detclass(one)
	switch detclass(two) {
	case detclasslock:
		// Who gives a lock back comes after having taken it: it is takers whose order
		// is to be decided. Who only tries sees whether it has been given back.
		if before == detclasslock || before == detclasstry {
			detreason(detreasonlock, two, one)
		}
	case detclasstry:
		detreason(detreasonlock, two, one)
	case detclassunlock:
		if before == detclasstry {
			detreason(detreasonlock, one, two)
		}
	case detclasschan:
		detreason(detreasonchan, two, one)
	case detclassatomic:
		if before == detclassatomic {
			detreason(detreasonatomic, two, one)
		}
	case detclassonce:
		// From one place it is the same function, whoever is first. Who comes after somebody that
		// has asked, in every schedule, is not.
		if before == detclassonce && first.Site != second.Site && !det.Asked(second.Strand.Task(), addr+detoncelock) {
			detreason(detreasonfirst, two, one)
		}
	case detclassfirst:
		if before == detclassfirst {
			detreason(detreasonfirst, two, one)
		}
	case detclassasks:
		if before == detclasscancels || before == detclasscauses {
			detreason(detreasonselect, two, 0)
		}
	case detclasscancels, detclasscauses:
		switch {
		case before == detclassasks:
			detreason(detreasonselect, one, 0)
		case before == detclasscauses, before == detclasscancels && detclass(two) == detclasscauses:
			detreason(detreasonfirst, two, one)
		}
	case detclassread, detclasswrite, detclassseek:
		switch {
		case detpiecesofone(first.Strand.Task(), second.Strand.Task()):
		case before == detclass(two) && before != detclassseek:
			detreason(detreasonio, two, one)
		case before >= detclassread && before <= detclassseek && detpositioned(addr):
			detreason(detreasonio, two, one)
		}
	case detclassputs, detclassgets:
		if before == detclass(two) {
			detreason(detreasonio, two, one)
		}
	}
}

// detpositioned reports whether the open file whose lock is at addr has a position, which
// reads, writes and seeks share. What is read from a connection, a pipe or a terminal does
// not depend on what is written to it here.
func detpositioned(addr uintptr) bool {
	const fstat, mode, format, regular, block = 5, 24, 0xf000, 0x8000, 0x6000
	fd := *(*int)(unsafe.Pointer(addr + detsysfd))
	var status [144]byte
	if _, errno := detsyscall(fstat, uintptr(fd), uintptr(unsafe.Pointer(&status)), 0, 0, 0, 0); errno != 0 {
		return false // closed meanwhile
	}
	kind := *(*uint32)(unsafe.Pointer(&status[mode])) & format
	return kind == regular || kind == block
}

// detsysfd is how far the descriptor of an internal/poll.FD is from the state of its lock.
const detsysfd = 16

func dethistoryfull(a shadow.Access) { detreason(detreasonhistory, detfull(a), 0) }
