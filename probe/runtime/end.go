//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"unsafe"
)

// detends stands for the end of the program, which writes it, by an access. Whoever writes to
// a file or a terminal reads it: what is in no order with the end may not be written any more.
var detends uint64

func detendsat() uintptr { return uintptr(unsafe.Pointer(&detends)) }

// outputs tells that the program writes to the open file whose lock is at addr. What it
// writes to others, over a connection or a pipe, is in an order with their answers that is
// not seen.
func (s *detsyncing) outputs(addr uintptr) {
	const stdout, stderr = 1, 2
	if fd := *(*int)(unsafe.Pointer(addr + detsysfd)); fd == stdout || fd == stderr || detpositioned(addr) {
		s.access(detendsat(), shadow.AtomicRead)
	}
}

// detend is called by the runtime where a goroutine ends the program.
//
//go:noinline
func detend() { racecall(detop_end, getg().racectx, 0, 0, 0) }

// detended tells that t ends the program. Tests have ends of their own.
func detended(p *detect.Proc, t reach.Task, gp *g, bp uintptr) {
	if p == nil || detout.tests {
		return
	}
	dettouch(p, t, detendsat(), shadow.AtomicWrite, uint32(detwalk(p, gp, 0, bp)))
}
