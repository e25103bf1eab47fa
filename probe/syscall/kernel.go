//go:build judged

// This is a new file of package syscall: what the kernel does with memory of its callers, which
// no hook sees. Each function is deferred by a call of the kernel, and looks how that ended.
// As numbers their addresses do not make what the caller has escape.
package syscall

import (
	"internal/race"
	"unsafe"
)

// detraceSends orders what comes before something is sent, anywhere, before what follows its
// arrival, as Write and Read do.
//
//go:linkname detraceSends
func detraceSends() { race.ReleaseMerge(unsafe.Pointer(&ioSync)) }

// detraceArrived is the other end of that, unless nothing has arrived.
func detraceArrived(err *error) {
	if *err == nil {
		race.Acquire(unsafe.Pointer(&ioSync))
	}
}

// detraceFilled tells that the kernel has written the first n elements of b.
func detraceFilled[T any](b []T, n *int) {
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))); *n > 0 && len(b) > 0 {
		race.WriteRange(unsafe.Pointer(at), min(*n, len(b))*int(unsafe.Sizeof(b[0])))
	}
}

// detraceTaken tells that it has read them.
func detraceTaken(b []byte, n *int) {
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))); *n > 0 && len(b) > 0 {
		race.ReadRange(unsafe.Pointer(at), min(*n, len(b)))
	}
}

// detraceSent tells that it has read all of b.
func detraceSent(b []byte, err *error) {
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))); *err == nil && len(b) > 0 {
		race.ReadRange(unsafe.Pointer(at), len(b))
	}
}

// detraceSet tells that it has written *p, unless p is nil.
func detraceSet[T any](p *T, err *error) {
	if at := uintptr(unsafe.Pointer(p)); *err == nil && at != 0 {
		race.WriteRange(unsafe.Pointer(at), int(unsafe.Sizeof(*p)))
	}
}

// detraceGot tells that it has read *p, unless p is nil.
func detraceGot[T any](p *T, err *error) {
	if at := uintptr(unsafe.Pointer(p)); *err == nil && at != 0 {
		race.ReadRange(unsafe.Pointer(at), int(unsafe.Sizeof(*p)))
	}
}
