package detect

import (
	"unsafe"

	"github.com/detrace/detrace/internal/callstack"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// This file keeps call paths, which an access needs that changes the history. To walk through
// a stack costs more than most of what follows, and a frame that called others since it was
// looked at cannot be told from another one by its address. So a task notes when a frame is
// entered, by how far its base is below the end of its stack, which stays the same when the
// stack is moved. While the note of a frame stands, it is the frame that it was; and the path
// to a frame just entered is that to its caller's, and one more. Where nothing was entered and the
// stack was not moved, the innermost frame at an address is the one that was there.

const (
	activationsSize = 64 // remembered call paths, a power of two

	entered      = 1 << enteredBits // notes of a task
	enteredBits  = 4
	enteredScale = 0x9E3779B1 // spreads frames of one size, as in a recursion, over all notes
)

// Where a fast path in assembly finds what it looks at.
const (
	ProcActivations   = unsafe.Offsetof(Proc{}.activations)
	ActivationsSize   = activationsSize
	ActivationBytes   = unsafe.Sizeof(activation{})
	ActivationTask    = unsafe.Offsetof(activation{}.task)
	ActivationVersion = unsafe.Offsetof(activation{}.version)
	ActivationBase    = unsafe.Offsetof(activation{}.base)
	ActivationReturn  = unsafe.Offsetof(activation{}.ret)
	ActivationContext = unsafe.Offsetof(activation{}.context)
	ActivationDepth   = unsafe.Offsetof(activation{}.depth)
	ActivationEntered = unsafe.Offsetof(activation{}.entered)

	LocalEntered = unsafe.Offsetof(Local{}.entered)
	EnteredScale = enteredScale
	EnteredShift = 32 - enteredBits
)

// activation is a remembered call path: of one function call. That is told from all others of
// a program's run by the task, its version counter (see Local), the frame pointer, and where
// the frame returns, for functions that are not counted.
type activation struct {
	task    reach.Task
	depth   uint32 // of the base below the stack's end
	version uint64
	base    uintptr
	ret     uintptr
	context uint32
	entered uint32 // the note of the depth in that version; 0 unknown
}

//go:nosplit
func returns(base uintptr) uintptr { return (*[2]uintptr)(offheap.Pointer(base))[1] }

// Context returns the call path to the frame of l's task with the given base, 0 when it is
// not known. fresh is false when frames were pushed since: the caller must then make sure that
// the path is still that of the stack, see Path.
//
//go:nosplit
func (p *Proc) Context(l *Local, base uintptr) (context uint32, fresh bool) {
	a := p.activation(base)
	if !a.is(l, base) {
		return 0, false
	}
	return a.context, a.version == l.Version
}

// Stands reports whether the frame of l's task with the given base, of a function that is counted,
// is still the one to which the call path is known, on a stack that ends at hi; then Context says that
// it is fresh.
//
//go:nosplit
func (p *Proc) Stands(l *Local, base, hi uintptr) bool {
	a := p.activation(base)
	if !a.is(l, base) || !a.stands(l, hi) {
		return false
	}
	a.version = l.Version
	return true
}

// Stack is where the frames of a task are: from Lo up to Top, on a stack that ends at Hi.
type Stack struct{ Lo, Top, Hi uintptr }

// has reports whether the frame with the given base is a task's.
func (s *Stack) has(base uintptr) bool { return base-s.Lo < s.Top-s.Lo-16 }

// Enters says that the task enters a function that is counted, the base of whose frame is
// depth below the end of its stack. The host calls it, or does the same.
func (l *Local) Enters(depth uint32) {
	l.Version++
	l.entered[depth*enteredScale>>EnteredShift] = uint32(l.Version)
}

// Resumes says that what runs becomes the task's, in frames that it may not have entered.
//
//go:nosplit
func (l *Local) Resumes() {
	l.Version++
	l.entered = [entered]uint32{}
}

// Moves says that the task's stack lies elsewhere from now on. A frame may come to lie where a
// deeper one lay, with nothing entered since that one was looked at.
func (l *Local) Moves() { l.Version++ }

// Path returns the call path to the frame of l's task with the given base, 0 if it takes a walk
// to know it; counted says whether the frame was noted when it was entered. Cost: a few
// comparisons, for a frame just entered a look-up in the tree.
func (p *Proc) Path(tree *callstack.Tree, l *Local, s *Stack, base uintptr, counted bool) uint32 {
	a := p.activation(base)
	known := a.is(l, base)
	if known && (counted && a.stands(l, s.Hi) || a.version == l.Version && (counted || tree.Counted(callstack.ID(a.context)))) {
		a.look(l, s)
		return a.context
	}
	above := p.above(l, s, base)
	if above == nil || tree.Len(callstack.ID(above.context)) >= callstack.Depth {
		return 0
	}
	context := callstack.ID(a.context)
	if !known || !tree.Extends(context, callstack.ID(above.context), a.ret) {
		context = tree.Extend(callstack.ID(above.context), returns(base))
		if context == 0 {
			return 0
		}
		a.task, a.base, a.ret, a.context = l.Strand.Task(), base, returns(base), uint32(context)
	}
	a.look(l, s)
	return uint32(context)
}

// Walked says that context is the call path to the frame with the given base, after a walk. It
// also says what that of the frame above is.
func (p *Proc) Walked(tree *callstack.Tree, l *Local, s *Stack, base uintptr, context uint32) {
	if context == 0 {
		return
	}
	p.remember(l, s, base, context)
	if up := caller(s, base); up != 0 && tree.Len(callstack.ID(context)) < callstack.Depth {
		_, above := tree.Frame(callstack.ID(context))
		p.remember(l, s, up, uint32(above))
	}
}

func (p *Proc) remember(l *Local, s *Stack, base uintptr, context uint32) {
	a := p.activation(base)
	a.task, a.base, a.ret, a.context = l.Strand.Task(), base, returns(base), context
	a.look(l, s)
}

// above is what is remembered of the frame above, the call path to which stands if its
// function is counted; otherwise nil.
func (p *Proc) above(l *Local, s *Stack, base uintptr) *activation {
	up := caller(s, base)
	if up == 0 {
		return nil
	}
	if a := p.activation(up); a.is(l, up) && a.stands(l, s.Hi) {
		return a
	}
	return nil
}

// caller is the base of the frame above, 0 if that is none of the task's.
func caller(s *Stack, base uintptr) uintptr {
	if up := *(*uintptr)(offheap.Pointer(base)); up > base && s.has(up) {
		return up
	}
	return 0
}

// activation is where the call path to a frame is remembered.
//
//go:nosplit
func (p *Proc) activation(base uintptr) *activation {
	return &p.activations[(base>>4^returns(base))%activationsSize]
}

// is reports whether a is about a frame at the place of that with the given base, perhaps it.
//
//go:nosplit
func (a *activation) is(l *Local, base uintptr) bool {
	return a.base == base && a.ret == returns(base) && a.task == l.Strand.Task() && a.context != 0
}

// stands reports whether no frame was entered at the place of a's since it was looked at; then
// a frame there that is counted is a's. A fast path in assembly asks the same.
//
//go:nosplit
func (a *activation) stands(l *Local, hi uintptr) bool {
	note := l.entered[a.depth*enteredScale>>EnteredShift]
	return note != 0 && note == a.entered && a.depth == uint32(hi-a.base) && l.Version-a.version < 1<<31
}

// look says that the path of a is known to be right now. A note so old that it could be that of an entry
// to come is none.
func (a *activation) look(l *Local, s *Stack) {
	a.depth, a.version = uint32(s.Hi-a.base), l.Version
	a.entered = l.entered[a.depth*enteredScale>>EnteredShift]
	if uint32(l.Version)-a.entered >= 1<<31 {
		a.entered = 0
	}
}
