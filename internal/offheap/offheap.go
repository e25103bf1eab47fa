// Package offheap is memory outside the Go heap and atomics for code that has
// two homes: the detrace process, and the judged process below its standard
// library, where neither Go allocation nor sync/atomic may be used.
//
// Files named *_detrace.go are built for the first home only, *_judged.go for
// the second; they declare the same names. Everything else is shared.
package offheap

import "unsafe"

// Pointer turns an address outside the Go heap into a pointer. The collector
// never moves or frees what it points to, which is why the conversion is safe.
//
//go:nosplit
func Pointer(addr uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}

// Reserve maps n bytes of zeroed memory that costs nothing until touched.
// When the address space is refused (ulimit -v, overcommit off) it does not
// return: there is no detector then.
func Reserve(n uintptr) unsafe.Pointer {
	p := mapAnonymous(0, n)
	if p == nil {
		fatal("the system refused address space for the detector; check ulimit -v and vm.overcommit_memory")
	}
	return p
}

// PreferHuge asks for huge pages in [p, p+n), which Reserve returned: fewer faults
// and misses where memory is used densely, at the price of memory where it is not.
func PreferHuge(p unsafe.Pointer, n uintptr) { preferHuge(p, n) }

// Discard makes the whole pages in [p, p+n) zero again and returns their
// memory to the system. p must come from Reserve or point inside it.
func Discard(p unsafe.Pointer, n uintptr) {
	lo := (uintptr(p) + pageSize - 1) &^ (pageSize - 1)
	hi := (uintptr(p) + n) &^ (pageSize - 1)
	if lo < hi {
		discard(Pointer(lo), hi-lo)
	}
}

const pageSize = 4096

// Prefetch says that the n bytes from p on will be needed soon: all of them if p begins a cache
// line, else perhaps not the last ones.
//
//go:nosplit
func Prefetch(p unsafe.Pointer, n uintptr) {
	for i := uintptr(0); i < n; i += cacheLine {
		prefetch(uintptr(p) + i)
	}
}

const cacheLine = 64

// Wait is called for the nth time, from 0 on, by who waits for another thread: mostly that is
// soon done, but where it is a collection, or has lost its processor, to yield again and
// again takes more processor time than the waiting is worth.
func Wait(n int) {
	if n < yields {
		Yield()
	} else {
		Rest()
	}
}

// yields is how often who waits yields before it rests.
const yields = 20

// Lock is a spin lock for sections of a few dozen instructions. The zero value
// is unlocked. It may live in memory from Reserve.
type Lock struct{ word uint32 }

// Lock takes the lock, yielding the processor to the system while it waits.
func (l *Lock) Lock() {
	if !CAS32(&l.word, 0, 1) {
		l.wait(0)
	}
}

// LockLong is Lock for sections of hundreds of instructions. Who waits rests soon: processors
// that take turns in such a section fetch each other's memory all the time, so it costs less
// when one of them goes through it many times while the other rests.
func (l *Lock) LockLong() {
	if !CAS32(&l.word, 0, 1) {
		l.wait(yields - 2)
	}
}

// wait takes the lock that was not free, after having yielded n times less than usual.
func (l *Lock) wait(n int) {
	Add64(&contention.waits, 1)
	for spins := 0; !CAS32(&l.word, 0, 1); spins++ {
		if spins > 30 {
			Wait(n)
			n++
		}
	}
}

// TryLock takes the lock if it is free and reports whether it did.
func (l *Lock) TryLock() bool { return CAS32(&l.word, 0, 1) }

// contention counts, in the whole process, how often somebody else was first. Who never
// waits pays nothing.
var contention struct{ waits, retries uint64 }

// Contention is how often a Lock was not free, and how often an Exchange failed.
func Contention() (waits, retries uint64) {
	return Load64(&contention.waits), Load64(&contention.retries)
}

// Exchange32 is CAS32 that counts its failures, for loops that try again.
func Exchange32(p *uint32, old, v uint32) bool { return CAS32(p, old, v) || retried() }

// Exchange64 is CAS64 that counts its failures.
func Exchange64(p *uint64, old, v uint64) bool { return CAS64(p, old, v) || retried() }

func retried() bool {
	Add64(&contention.retries, 1)
	return false
}

// Unlock releases the lock.
func (l *Lock) Unlock() { Release32(&l.word, 0) }

// Table is a growing array of T outside the Go heap, addressed by index. It
// reserves address space for max elements; memory is used as far as touched.
// T must not contain Go pointers. Safe for concurrent At; elements are the
// caller's to synchronise.
type Table[T any] struct {
	base unsafe.Pointer
	max  uint32
}

// Init reserves room for max elements. The zero element is all zero bytes.
func (t *Table[T]) Init(max uint32) {
	var zero T
	t.base = Reserve(uintptr(max) * unsafe.Sizeof(zero))
	t.max = max
}

// At returns element i, which must be below the max given to Init.
//
//go:nosplit
func (t *Table[T]) At(i uint32) *T {
	var zero T
	return (*T)(unsafe.Add(t.base, uintptr(i)*unsafe.Sizeof(zero)))
}

// Max is the number of elements there is room for.
func (t *Table[T]) Max() uint32 { return t.max }

// Discard zeroes elements lo to hi-1 and gives whole pages among them back.
func (t *Table[T]) Discard(lo, hi uint32) {
	var zero T
	size := unsafe.Sizeof(zero)
	p := unsafe.Add(t.base, uintptr(lo)*size)
	n := uintptr(hi-lo) * size
	first := (uintptr(p) + pageSize - 1) &^ (pageSize - 1)
	last := (uintptr(p) + n) &^ (pageSize - 1)
	if first >= last {
		clear(unsafe.Slice((*byte)(p), n))
		return
	}
	clear(unsafe.Slice((*byte)(p), first-uintptr(p)))
	Discard(p, n)
	clear(unsafe.Slice((*byte)(Pointer(last)), uintptr(p)+n-last))
}
