//go:build judged

// This is a new file of package poll: what the kernel reads of several buffers.
package poll

import (
	"internal/race"
	"unsafe"
)

// detraceSends is that of package syscall.
//
//go:linkname detraceSends syscall.detraceSends
func detraceSends()

// detraceTaken tells that the first n bytes of all buffers together are read.
func detraceTaken(buffers [][]byte, n int64) {
	for _, b := range buffers {
		took := min(n, int64(len(b)))
		if took > 0 {
			race.ReadRange(unsafe.Pointer(unsafe.SliceData(b)), int(took))
		}
		n -= took
	}
}
