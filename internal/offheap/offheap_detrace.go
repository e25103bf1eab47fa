//go:build !judged

package offheap

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Load32, and each function below, is the sequentially consistent atomic of
// that name.
func Load32(p *uint32) uint32             { return atomic.LoadUint32(p) }
func Store32(p *uint32, v uint32)         { atomic.StoreUint32(p, v) }
func Add32(p *uint32, d uint32) uint32    { return atomic.AddUint32(p, d) }
func CAS32(p *uint32, old, v uint32) bool { return atomic.CompareAndSwapUint32(p, old, v) }
func Swap32(p *uint32, v uint32) uint32   { return atomic.SwapUint32(p, v) }
func Load64(p *uint64) uint64             { return atomic.LoadUint64(p) }
func Store64(p *uint64, v uint64)         { atomic.StoreUint64(p, v) }
func Add64(p *uint64, d uint64) uint64    { return atomic.AddUint64(p, d) }
func CAS64(p *uint64, old, v uint64) bool { return atomic.CompareAndSwapUint64(p, old, v) }

// Release32 is Store32 that orders what comes before it, and nothing that comes after.
func Release32(p *uint32, v uint32) { atomic.StoreUint32(p, v) }

// Release64 is as Release32.
func Release64(p *uint64, v uint64) { atomic.StoreUint64(p, v) }

// Put32 stores whole, and orders nothing.
func Put32(p *uint32, v uint32) { atomic.StoreUint32(p, v) }

// Yield lets another thread run while this one waits for it.
func Yield() { runtime.Gosched() }

// Rest is Yield for some ten microseconds.
func Rest() { time.Sleep(10 * time.Microsecond) }

// Fence makes every other thread that runs pass a full memory barrier, as Swap32 is one:
// what it stored before can be seen by the caller afterwards, and what it loads afterwards
// may be what the caller stored before. false if the system cannot do that.
func Fence() bool { return registered() && membarrier(1<<3) }

var registered = sync.OnceValue(func() bool { return membarrier(1 << 4) })

func membarrier(command uintptr) bool {
	_, _, errno := unix.Syscall(unix.SYS_MEMBARRIER, command, 0, 0)
	return errno == 0
}

func mapAnonymous(addr, n uintptr) unsafe.Pointer {
	if p := mapTracked(n); p != nil {
		return p
	}
	p, err := unix.MmapPtr(-1, 0, Pointer(addr), n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return p
}

// Unreserve unmaps what Reserve returned, so that a process can hold many
// detectors one after the other. Judged programs never need it.
func Unreserve(p unsafe.Pointer, n uintptr) {
	if unmapTracked(p) {
		return
	}
	if err := unix.MunmapPtr(p, n); err != nil {
		panic("offheap: munmap: " + err.Error())
	}
}

// Close gives the table's address space back; the table must be initialised
// again before use.
func (t *Table[T]) Close() {
	var zero T
	if t.base != nil {
		Unreserve(t.base, uintptr(t.max)*unsafe.Sizeof(zero))
		t.base, t.max = nil, 0
	}
}

func discard(p unsafe.Pointer, n uintptr) {
	if err := unix.Madvise(unsafe.Slice((*byte)(p), n), unix.MADV_DONTNEED); err != nil {
		panic("offheap: madvise: " + err.Error())
	}
}

// preferHuge does nothing: the detrace process has no need to be fast here.
func preferHuge(p unsafe.Pointer, n uintptr) {}

func fatal(msg string) { panic("offheap: " + msg) }

// prefetch does nothing either.
func prefetch(addr uintptr) {}
