//go:build judged

package offheap

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// Tracked bounds nothing in programs under detrace.
const Tracked = 1 << 62

//go:nosplit
func Load32(p *uint32) uint32 { return atomic.Load(p) }

//go:nosplit
func Store32(p *uint32, v uint32) { atomic.Store(p, v) }

//go:nosplit
func Add32(p *uint32, d uint32) uint32 { return atomic.Xadd(p, int32(d)) }

//go:nosplit
func CAS32(p *uint32, old, v uint32) bool { return atomic.Cas(p, old, v) }

//go:nosplit
func Swap32(p *uint32, v uint32) uint32 { return atomic.Xchg(p, v) }

// Release32 is Store32 that orders what comes before it, and nothing that comes after. On
// amd64, the only processor that programs are judged on, every store does, and the compiler
// keeps stores behind the loads and stores before them; atomic.StoreRel would be an exchange there,
// which waits for all of them.
//
//go:nosplit
func Release32(p *uint32, v uint32) { *p = v }

// Release64 is as Release32.
//
//go:nosplit
func Release64(p *uint64, v uint64) { *p = v }

// Put32 stores whole, and orders nothing.
//
//go:nosplit
func Put32(p *uint32, v uint32) { *p = v }

//go:nosplit
func Load64(p *uint64) uint64 { return atomic.Load64(p) }

//go:nosplit
func Store64(p *uint64, v uint64) { atomic.Store64(p, v) }

//go:nosplit
func Add64(p *uint64, d uint64) uint64 { return atomic.Xadd64(p, int64(d)) }

//go:nosplit
func CAS64(p *uint64, old, v uint64) bool { return atomic.Cas64(p, old, v) }

// Host is what the runtime lends: it sets these before anything else here is
// called. Mmap returns 0 when refused.
var Host struct {
	Mmap    func(addr, n uintptr) uintptr
	Discard func(addr, n uintptr)
	Huge    func(addr, n uintptr)
	Fatal   func(msg string) // says msg and ends the process
	Yield   func()
	Rest    func()
	Fence   func() bool
}

// Yield lets another thread run while this one waits for it.
func Yield() { Host.Yield() }

// Rest is Yield for some ten microseconds.
func Rest() { Host.Rest() }

// Fence makes every other thread that runs pass a full memory barrier, as Swap32 is one:
// what it stored before can be seen by the caller afterwards, and what it loads afterwards
// may be what the caller stored before. false if the system cannot do that.
func Fence() bool { return Host.Fence() }

func mapAnonymous(addr, n uintptr) unsafe.Pointer { return Pointer(Host.Mmap(addr, n)) }

func discard(p unsafe.Pointer, n uintptr) { Host.Discard(uintptr(p), n) }

func preferHuge(p unsafe.Pointer, n uintptr) { Host.Huge(uintptr(p), n) }

func fatal(msg string) { Host.Fatal(msg) }

//go:nosplit
func prefetch(addr uintptr) { sys.Prefetch(addr) }
