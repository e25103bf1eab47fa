//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/callstack"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/stringslite"
)

// What an acquire or a release is part of. The hooks are the same for what orders tasks
// in every schedule and for what only this one did; the stack tells which it is.
const (
	detedgeunknown = iota
	detedgecertain // a WaitGroup, close, a coroutine, a Once of the library
	detedgewait    // Wait of a WaitGroup, certain too
	detedgeatomic  // an atomic operation of the program itself
	detedgelock
	detedgeunlock
	detedgerlock
	detedgerunlock
	detedgewlock // of an RWMutex
	detedgewunlock
	detedgeonce
	detedgepool
	detedgemessage  // of a channel
	detedgetry      // the same, with a default case
	detedgetimer    // that ran out
	detedgeobserved // what else the library does

	detedgekind    = 0x3f
	detedgefanned  = 0x40 // a message of which it is luck, to this side, who sends or receives it
	detedgelibrary = 0x80 // not of the program itself
)

// detedges are these, by stack, detusers the part of a stack from its innermost frame
// of the program's own on, plus 1, detinside whether the access with a stack was made
// inside of the library, and detdirect whether the program itself synchronised there.
var (
	detedges  offheap.Table[uint8]
	detusers  offheap.Table[uint32]
	detinside offheap.Table[uint8]
	detdirect offheap.Table[uint8]
)

func detedgesinit() {
	detedges.Init(1 << 27)
	detusers.Init(1 << 27)
	detinside.Init(1 << 27)
	detdirect.Init(1 << 27)
	detexpired.Init(detect.MaxTasks)
	detpieces.Init(detect.MaxTasks)
	detborrowings.init()
}

// detsyncing is an acquire or a release that a hook was called for.
type detsyncing struct {
	p     *detect.Proc
	t     reach.Task
	stack uint32
	edge  uint8
}

// detsyncat tells of what the operation of t in the frame of bp on the stack of gp
// is part.
// kind is atomic for an atomic operation, which has no frame of its own, else unknown.
func detsyncat(p *detect.Proc, t reach.Task, gp *g, bp uintptr, kind uint8) detsyncing {
	if p == nil || bp < gp.stack.lo || bp >= gp.stack.hi {
		return detsyncing{p: p, t: t, edge: detedgecertain}
	}
	stack := uint32(detwalk(p, gp, 0, bp))
	e := detedges.At(stack)
	if *e == detedgeunknown {
		*e = detedgeof(stack, kind)
	}
	return detsyncing{p: p, t: t, stack: stack, edge: *e}
}

func (s *detsyncing) kind() uint8 { return s.edge & detedgekind }

func (s *detsyncing) library() bool { return s.edge&detedgelibrary != 0 }

// detedgeof classifies a stack: by the innermost frame of a package that synchronises,
// and by who called that.
func detedgeof(stack uint32, kind uint8) uint8 {
	try := false
	var u detunwinder
	for u.init(stack); u.next(); {
		name := u.frame.fn
		switch detpkg(name) {
		case "runtime":
			switch name {
			case "runtime.selectnbsend", "runtime.selectnbrecv":
				try = true
			case "runtime.(*timer).unlockAndRun":
				return detedgetimer
			}
			continue
		case "internal/race", "sync/atomic":
			continue
		case "sync", "internal/sync":
			if kind == detedgeunknown || kind == detedgeatomic {
				kind = detedgesync(name, kind)
			}
			continue
		case "context":
			if kind == detedgeatomic && (name == "context.(*cancelCtx).Err" || name == "context.Cause") {
				continue // the program's own, who sees what it reads
			}
			if kind == detedgeunknown && try {
				return detedgeobserved | detedgelibrary // a new context looks whether its parent is cancelled
			}
		case "iter":
			if kind == detedgeunknown {
				return detedgecertain
			}
		case "syscall":
			if kind == detedgeunknown {
				return detedgeobserved | detedgelibrary
			}
		}
		switch {
		case kind == detedgeunknown:
			kind = detedgecertain
		case kind == detedgewait && stringslite.HasPrefix(name, "github.com/detrace/detrace/task."):
			kind = detedgecertain // who starts a task keeps the count above zero, or misuses its scope
		case kind == detedgemessage && stringslite.HasPrefix(name, "os/exec.(*Cmd).Start.func"):
			kind = detedgecertain // a count goes round: whoever ends last, Wait comes after all
		case kind == detedgemessage && try:
			kind = detedgetry
		case kind == detedgeatomic && u.frame.std:
			kind = detedgeobserved
		case kind == detedgeonce && u.frame.std:
			kind = detedgecertain // a table that is built by whoever comes first is no luck of the program's
		}
		if u.frame.std {
			kind |= detedgelibrary
		}
		return kind
	}
	return detedgecertain // the runtime's own goroutines
}

// detedgesync is what a function of package sync does; kind is atomic for the
// words of the package's own.
func detedgesync(name string, kind uint8) uint8 {
	unlocks := stringslite.HasSuffix(name, "nlock") || stringslite.HasSuffix(name, "nlockSlow")
	switch detreceiver(name) {
	case "(*Mutex)":
		if kind == detedgeatomic {
			return detedgeobserved
		}
		if unlocks {
			return detedgeunlock
		}
		return detedgelock
	case "(*RWMutex)":
		reads := stringslite.HasSuffix(name, "RLock") || stringslite.HasSuffix(name, "RUnlock")
		switch {
		case kind == detedgeatomic:
			return detedgeobserved
		case reads && unlocks:
			return detedgerunlock
		case reads:
			return detedgerlock
		case unlocks:
			return detedgewunlock
		}
		return detedgewlock
	case "(*WaitGroup)":
		if kind == detedgeunknown && stringslite.HasSuffix(name, ".Wait") {
			return detedgewait
		}
		return detedgecertain
	case "(*Once)":
		if kind == detedgeatomic {
			return detedgeonce
		}
		return detedgecertain
	case "(*Pool)":
		return detedgepool
	}
	if kind == detedgeatomic {
		return kind // of a Map or a Cond: whose it is decides
	}
	return detedgeobserved
}

// observed reports whether what the acquire teaches is only what this schedule did. An
// atomic operation that only reads learns what the value it reads was published with;
// that the program can see which value that is, is a reason of its own, as is the order
// in which values pass through a channel.
func (s *detsyncing) observed(reads bool) bool {
	switch s.kind() {
	case detedgecertain, detedgewait:
		return false
	case detedgeatomic:
		return !reads
	case detedgemessage:
		return s.edge&detedgefanned != 0
	}
	return true
}

// key tells the call into the library that the operation is part of from others of
// its task, but for those from the same place.
func (s *detsyncing) key() uint32 { return detcallkey(s.stack) }

func detcallkey(stack uint32) uint32 {
	known := detusers.At(stack)
	if *known == 0 {
		id := callstack.ID(stack)
		for id != 0 {
			pc, caller := detstacks.Frame(id)
			if detstacks.Word(detstacks.Call(0, pc)) != 0 {
				break
			}
			id = caller
		}
		*known = uint32(id) + 1
	}
	return *known
}

// acquire is the hook of an acquire.
func (s *detsyncing) acquire(addr uintptr) (news bool) {
	observed := s.observed(true)
	switch s.kind() {
	case detedgewait:
		s.access(addr+detwaitsema, shadow.AtomicWrite)
	case detedgerlock, detedgewlock:
		s.takes(addr)
	}
	for ok := false; !ok; {
		if news, ok = detacquire(s.t, addr, observed); !ok {
			det.Split(s.p)
		}
	}
	switch s.kind() {
	case detedgelock:
		det.Hold(s.t, addr, true)
	case detedgerlock:
		det.Hold(s.t, addr, false)
	case detedgewlock:
		if !det.Holds(s.t, addr+detreadersem, true) {
			det.Hold(s.t, addr, true)
		}
	case detedgetimer:
		*detexpired.At(uint32(s.t)) = addr
	}
	if s.library() && s.kind() != detedgepool {
		det.LibraryAcquires(s.t, s.key(), addr)
	}
	return news
}

// acquires and releases are the hooks of an acquire and of a release as they are made for a
// side of a channel, which may be nobody.
func (s *detsyncing) acquires(addr uintptr, running *g, bp uintptr) {
	if s.t != 0 && s.acquire(addr) {
		detexchange(s.p, s.t, 0, running, bp)
	}
}

func (s *detsyncing) releases(addr uintptr) {
	if s.t != 0 {
		s.releasing(addr, false)
		detrelease(s.t, addr)
		s.released(addr)
	}
}

// access tells of an atomic access that stands for the operation.
func (s *detsyncing) access(addr uintptr, op shadow.Op) {
	if s.p != nil && s.stack != 0 {
		dettouch(s.p, s.t, addr, op, s.stack)
	}
}

// detwaitsema is how far a WaitGroup's semaphore is from its start. What an Add that began
// at zero may not be beside is every Wait, also one that has nothing to wait for and one that
// is not the first: such an Add reads the semaphore, so each Wait is a write of it. Waits are
// atomic, as they do not disturb one another.
const detwaitsema = 8

// releasing is called before a release, released after it.
func (s *detsyncing) releasing(addr uintptr, adds bool) {
	switch {
	case s.kind() == detedgepool:
		detpooled(s.t, addr-1)
	case s.library():
		det.LibraryReleases(s.t, s.key(), addr, adds)
	case s.kind() == detedgerunlock || s.kind() == detedgewunlock:
		s.gives(addr)
	}
}

func (s *detsyncing) released(addr uintptr) {
	switch s.kind() {
	case detedgeunlock, detedgewunlock:
		det.Drop(s.t, addr, true)
	case detedgerunlock:
		det.Drop(s.t, addr+detreadersem, false)
	}
}

// exchange is the hook of a release with an acquire, of a channel's slot.
func (s *detsyncing) exchange(addr uintptr) {
	observed := s.observed(false)
	if s.library() {
		det.LibraryAcquires(s.t, s.key(), addr)
		det.LibraryReleases(s.t, s.key(), addr, false)
	}
	for !detreleaseacquire(s.t, addr, observed) {
		det.Split(s.p)
	}
}

// detexpired is what the timer that ran out last on a task of the timers was released
// at. Such a task learns of all timers of its P, one after the other, but the function
// of one only comes after what set that one.
var detexpired offheap.Table[uintptr]

// detexpires makes the child that a task of the timers starts come after what set the
// timer.
func detexpires(parent, child reach.Task) {
	if addr := *detexpired.At(uint32(parent)); addr != 0 {
		detacquire(child, addr, false)
	}
}

// detinlibrary reports whether an access with this stack was made by the standard
// library.
func detinlibrary(stack uint32) bool { return detasked(&detinside, stack, detinsideof) }

// detasked is what about says of a stack, asked once: answers has it from then on.
func detasked(answers *offheap.Table[uint8], stack uint32, about func(stack uint32) bool) bool {
	const no, yes = 1, 2
	known := answers.At(stack)
	if *known == 0 {
		found := uint8(no) // others may look meanwhile, and must see nothing yet
		if about(stack) {
			found = yes
		}
		*known = found
	}
	return *known == yes
}

func detinsideof(stack uint32) bool {
	var u detunwinder
	for u.init(stack); u.next(); {
		switch detpkg(u.frame.fn) {
		case "runtime", "internal/race", "internal/runtime/maps", "sync/atomic":
			continue
		}
		return u.frame.std
	}
	return true
}
