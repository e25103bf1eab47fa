//go:build judged

// This is a new file of package bytes: what functions in assembly read, which have no hooks.
package bytes

import (
	"internal/bytealg"
	"internal/race"
	"unsafe"
)

// detraceRead tells of a read of the first n bytes of b. As a number the address does not make
// what the caller has escape.
func detraceRead(b []byte, n int) {
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))); n > 0 {
		race.ReadRange(unsafe.Pointer(at), n)
	}
}

// detraceFound is how much of b a search for n bytes read that found them at i, or not if that
// is below 0.
func detraceFound(b []byte, i, n int) int {
	if i < 0 {
		return len(b)
	}
	return i + n
}

func detraceIndexByte(b []byte, c byte) int {
	i := bytealg.IndexByte(b, c)
	detraceRead(b, detraceFound(b, i, 1))
	return i
}

func detraceIndex(b, what []byte) int {
	i := bytealg.Index(b, what)
	detraceRead(b, detraceFound(b, i, len(what)))
	detraceRead(what, len(what))
	return i
}

func detraceCount(b []byte, c byte) int {
	detraceRead(b, len(b))
	return bytealg.Count(b, c)
}

func detraceCompare(a, b []byte) int {
	n := detraceCommon(a, b)
	detraceRead(a, min(n+1, len(a)))
	detraceRead(b, min(n+1, len(b)))
	return bytealg.Compare(a, b)
}

// detraceCommon is how many bytes at the beginning of a and b are the same.
//
//go:norace
func detraceCommon(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
