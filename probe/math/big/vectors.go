//go:build judged

// This is a new file of package big: what its functions in assembly touch, which have no hooks.
package big

import (
	"internal/race"
	"unsafe"
)

// detraceVectors tells that the first len(z) words of x and of y, if there is one, are read
// and z is written. As numbers their addresses do not make what the caller has escape.
func detraceVectors(z, x, y []Word) {
	n := len(z) * _S
	if n == 0 {
		return
	}
	race.ReadRange(unsafe.Pointer(uintptr(unsafe.Pointer(unsafe.SliceData(x)))), n)
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(y))); at != 0 {
		race.ReadRange(unsafe.Pointer(at), n)
	}
	race.WriteRange(unsafe.Pointer(uintptr(unsafe.Pointer(unsafe.SliceData(z)))), n)
}
