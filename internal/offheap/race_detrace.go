//go:build !judged && race

package offheap

import (
	"sync"
	"unsafe"
)

// Tracked is the size of the largest reservation that Go's race detector sees. It
// ignores memory that is not the Go heap's: accesses to it, and what atomic operations
// on it order. So that tests with -race judge the packages built on this one,
// reservations of ordinary size come from the Go heap in such builds.
const Tracked = 128 << 20

var tracked struct {
	sync.Mutex
	blocks map[unsafe.Pointer][]byte
}

// mapTracked is mapAnonymous from the Go heap, nil if n is too large for that.
func mapTracked(n uintptr) unsafe.Pointer {
	if n > Tracked {
		return nil
	}
	b := make([]byte, n+pageSize)
	start := unsafe.Pointer(unsafe.SliceData(b))
	p := unsafe.Add(start, -uintptr(start)&(pageSize-1))
	tracked.Lock()
	defer tracked.Unlock()
	if tracked.blocks == nil {
		tracked.blocks = make(map[unsafe.Pointer][]byte)
	}
	tracked.blocks[p] = b
	return p
}

// unmapTracked frees p if it came from mapTracked and reports whether it did.
func unmapTracked(p unsafe.Pointer) bool {
	tracked.Lock()
	defer tracked.Unlock()
	_, ok := tracked.blocks[p]
	delete(tracked.blocks, p)
	return ok
}
