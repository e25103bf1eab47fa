package record

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// indexSize is the number of things an Index can tell apart, a power of two.
const indexSize = 1 << 20

// Index remembers what has been written, and how often it occurred. Find is for
// one thread at a time; entries are safe for concurrent use.
type Index struct {
	entries offheap.Table[Entry]
	n       uint32
}

// Entry is one thing in an Index.
type Entry struct {
	kind  uint32
	a, b  uint64
	count uint64
	place uint64 // address of the counter in the file, 0 while there is none
}

// Init makes an empty index.
func (x *Index) Init() { x.entries.Init(indexSize) }

// Find returns the entry of (kind, a, b), and whether it was asked for before.
// kind is not 0. When the index is full, what is new has no entry: nil.
func (x *Index) Find(kind uint32, a, b uint64) (e *Entry, seen bool) {
	h := (a*0x9E3779B97F4A7C15 ^ b*0xC2B2AE3D27D4EB4F ^ uint64(kind)) * 0x94D049BB133111EB
	for i := uint32(h >> 40); ; i++ {
		e := x.entries.At(i & (indexSize - 1))
		if e.kind == kind && e.a == a && e.b == b {
			return e, true
		}
		if e.kind == 0 {
			if x.n >= indexSize/4*3 {
				return nil, false
			}
			x.n++
			e.kind, e.a, e.b = kind, a, b
			return e, false
		}
	}
}

// Count adds one occurrence, in the file when the entry has a place there.
//
//go:nosplit
func (e *Entry) Count() {
	if p := offheap.Load64(&e.place); p != 0 {
		offheap.Add64((*uint64)(offheap.Pointer(uintptr(p))), 1)
		return
	}
	offheap.Add64(&e.count, 1)
}

// Place lets the counter at the start of payload, as Writer.End returned it,
// take over. Occurrences counted by others at that very moment may be lost.
func (e *Entry) Place(payload *uint64) {
	offheap.Store64(payload, offheap.Load64(&e.count))
	offheap.Store64(&e.place, uint64(uintptr(unsafe.Pointer(payload))))
}
