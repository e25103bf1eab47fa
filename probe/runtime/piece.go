//go:build judged

package runtime

import (
	"github.com/detrace/detrace/internal/callstack"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"internal/runtime/sys"
	"unsafe"
)

// Some goroutines of the library do one piece of the program's work after the other, and
// which of them does which is the schedule's choice: that of a connection serves the requests
// that happen to come over it. Each piece is a task of its own, which comes after what the
// goroutine did before the first one.

//go:linkname detracePiece
//go:linkname detracePieces
//go:linkname detraceKeeps

// detpieces are the pieces: by task, the serial number of the one that is.
var detpieces offheap.Table[uint32]

// detracePiece begins the next piece of the calling goroutine. own is the goroutine's own
// task, 0 before the first piece; it is returned, 0 where nothing is seen.
//
//go:noinline
func detracePiece(own uint32) uint32 {
	gp := getg()
	last := gp.racectx
	if last == 0 {
		return 0
	}
	if own == 0 {
		own = uint32(last)
	}
	pc := sys.GetCallerPC()
	systemstack(func() {
		next := reach.Task(racectxstart(pc, uintptr(own)))
		_, caller := detstacks.Frame(callstack.ID(det.Engine.ForkStack(next)))
		det.Engine.SetForkStack(next, uint32(caller)) // the library's own
		*detpieces.At(uint32(next)) = det.Engine.Serial(next)
		det.Local(next).Resumes()
		gp.racectx = uintptr(next)
		if last != uintptr(own) {
			racectxend(last)
		}
	})
	return own
}

// detracePieces ends the last piece of the calling goroutine, whose own task is own.
func detracePieces(own uint32) {
	gp := getg()
	last := gp.racectx
	if own == 0 || uintptr(own) == last {
		return
	}
	systemstack(func() {
		det.Local(reach.Task(own)).Resumes()
		gp.racectx = uintptr(own)
		racectxend(last)
	})
}

// detpieceof is the piece that t is or was started in, 0 if there is none.
func detpieceof(t reach.Task) reach.Task {
	for t != 0 && *detpieces.At(uint32(t)) != det.Engine.Serial(t) {
		t, _ = det.Engine.Parent(t)
	}
	return t
}

// detpiecesofone reports whether two tasks belong to different pieces of one goroutine, which
// reads and writes for one after the other.
func detpiecesofone(a, b reach.Task) bool {
	a, b = detpieceof(a), detpieceof(b)
	if a == b || a == 0 || b == 0 {
		return false
	}
	one, _ := det.Engine.Parent(a)
	other, _ := det.Engine.Parent(b)
	return one == other
}

// detraceKeeps says that the pieces of the calling goroutine leave the object that at points
// into to each other, as who uses a pool does.
func detraceKeeps(at unsafe.Pointer) {
	base, _ := detobject(uintptr(at))
	if base == 0 {
		return
	}
	systemstack(func() {
		det.Enter(nil)
		det.Mark(base + detpoolmark)
		det.Leave(nil)
	})
}
