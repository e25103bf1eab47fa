//go:build judged

// This is a new file of package cpu of crypto/internal/fips140deps, which the packages of
// crypto/internal/fips140 may import, as they may not package race: they tell here what their
// assembly touches, which has no hooks.
package cpu

import (
	"internal/race"
	"unsafe"
)

// DetraceRead tells of a read of all of b. As a number its address does not make what the
// caller has escape.
func DetraceRead(b []byte) {
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))); len(b) > 0 {
		race.ReadRange(unsafe.Pointer(at), len(b))
	}
}

// DetraceWrite is DetraceRead for a write.
func DetraceWrite(b []byte) {
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))); len(b) > 0 {
		race.WriteRange(unsafe.Pointer(at), len(b))
	}
}
