//go:build judged

// This is a new file of package sync: who finds a lock taken, and goes on without it, has
// seen what the schedule did.
package sync

import "unsafe"

// detraceTried tells that the caller did not get the lock of which the accesses to word
// tell; any says that readers of the lock are in its way too. It returns false.
//
//go:noescape
//go:linkname detraceTried runtime.detraceTried
func detraceTried(word unsafe.Pointer, any bool) bool

func (m *Mutex) detraceTried() bool { return detraceTried(unsafe.Pointer(m), false) }

func (rw *RWMutex) detraceTried(any bool) bool {
	return detraceTried(unsafe.Pointer(&rw.readerSem), any)
}
