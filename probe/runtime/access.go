//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/callstack"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/runtime/sys"
	"unsafe"
)

// For the assembly in probe/asm: where the array of detect.Local by task begins,
// where the line of address 0 would be, were it in the heap, where the block of id 0 would
// be, and the layout of what the fast path looks at.
var (
	detlocals uintptr
	detlines  uintptr
	detblocks uintptr

	// What an address has above detheapshift bits, if the fast path may have it.
	detheapstart uintptr = detheapprefix

	// As detlines, of global variables, where these begin, and how many bytes of them the fast path
	// may have.
	detdatalines uintptr
	detdatastart uintptr
	detdatasize  uintptr
)

const (
	detproc_known     = detect.ProcKnown
	detfacts_size     = detect.FactsSize
	detfacts_strands  = detect.FactsStrands
	detfacts_states   = detect.FactsStates
	detfacts_runs     = detect.FactsRuns
	detfacts_bytes    = detect.FactsBytes
	detlocal_accesses = detect.LocalAccesses
	detlocal_entered  = detect.LocalEntered
	detentered_scale  = detect.EnteredScale
	detentered_shift  = detect.EnteredShift
	detlocalshift     = 7

	detstate_mask = shadow.MaxStates - 1
	detcell_masks = shadow.CellMasks

	detlineshift   = shadow.LineShift
	detlinesplit   = shadow.LineSplit
	detlinepair    = shadow.LinePair
	detline_first  = shadow.LineFirst
	detline_length = shadow.LineLength
	detline_step   = shadow.LineStep
	detrun_shift   = shadow.RunShift
	detblockshift  = shadow.BlockShift
	detdone        = detect.Done
	detstale       = detect.Stale
	detpathshift   = 56 // above what addresses have

	detproc_moves    = detect.ProcMoves
	detmove_strand   = detect.MoveStrand
	detmove_at       = detect.MoveAt
	detmove_before   = detect.MoveStates + unsafe.Offsetof(shadow.Move{}.Before)
	detmove_after    = detect.MoveStates + unsafe.Offsetof(shadow.Move{}.After)
	detmove_context  = detect.MoveStates + unsafe.Offsetof(shadow.Move{}.Context)
	detmove_counts   = detect.MoveCounts
	detproc_acts     = detect.ProcActivations
	detact_task      = detect.ActivationTask
	detact_version   = detect.ActivationVersion
	detact_base      = detect.ActivationBase
	detact_return    = detect.ActivationReturn
	detact_context   = detect.ActivationContext
	detact_depth     = detect.ActivationDepth
	detact_entered   = detect.ActivationEntered
	detcell_contexts = shadow.CellContexts

	// Addresses of the heap, and no others, have detheapprefix above detheapshift bits.
	detheapshift  = 37
	detheapprefix = 6
)

var (
	_ [1 << detlocalshift]byte = [unsafe.Sizeof(detect.Local{})]byte{}
	_ [256]byte                = [detect.KnownSize]byte{}
	_ [256]byte                = [detect.MovesSize]byte{}
	_ [64]byte                 = [detect.ActivationsSize]byte{}
	_ [40]byte                 = [detect.MoveBytes]byte{}
	_ [40]byte                 = [detect.ActivationBytes]byte{}

	_ [detheaplo >> detheapshift]byte         = [detheapprefix]byte{}
	_ [detheapsize >> (detheapshift - 1)]byte = [2]byte{}
)

// detaccess is where the compiler's hooks go, by a tail call on the goroutine's
// own stack; the top bit of addr says that it is a write, detpathshift bits on is the detect.Path
// that is known of it. Most accesses to the heap
// that change nothing end before, in raceread and racewrite, by the test that
// Proc.Known makes; accesses whose effect is known end here; others go to the
// history. The goroutine cannot be preempted in package runtime, so the Proc stays its own.
// Its own stack is skipped: what other goroutines can reach is not on it.
//
//go:nosplit
func detaccess(addr uintptr) {
	write, path := addr&(1<<63), detect.Path(addr>>detpathshift&0x7f)
	addr &= 1<<detpathshift - 1
	gp := getg()
	t := reach.Task(gp.racectx)
	if addr-gp.stack.lo < gp.stack.hi-gp.stack.lo || t == 0 {
		return
	}
	p := (*detect.Proc)(unsafe.Pointer(gp.m.p.ptr().raceprocctx))
	if detout.config != record.ConfigFull {
		detcount(p, write>>63)
		return
	}
	// Below the return address is the caller's frame pointer.
	at, bp := sys.GetCallerPC()|write, *(*uintptr)(unsafe.Pointer(sys.GetCallerSP() - 16))
again:
	if path == detect.Unknown {
		path = det.Shortcut(p, t, addr, at, bp)
	}
	counted := path != detect.ByReaders // other memos are of frames that are
	switch path {
	case detect.ByLine:
		path = detect.InLine(p, det.Local(t), addr, at, bp)
	case detect.ByReaders:
		path = detect.InAudience(p, det.Local(t), addr, at, bp)
	case detect.ByJournal:
		path = detect.InJournal(p, det.Local(t), addr, at, bp)
	}
	if path == detect.Stale && (counted && p.Stands(det.Local(t), bp, gp.stack.hi) || detfind(p, t, at&^(1<<63), bp)) ||
		path == detect.Splits && det.SplitLine(addr) || path == detect.Expands && det.ExpandCell(p, addr) {
		path = detect.Unknown
		goto again
	}
	if path != detect.Done {
		racecall(detop_read+at>>63, uintptr(t), addr, at&^(1<<63), bp)
	}
}

// detcount is all that is done about an access, a write if kind is 1, when no access is
// judged.
//
//go:nosplit
func detcount(p *detect.Proc, kind uintptr) {
	if detout.config == record.ConfigInstr {
		p.Accesses[kind]++
	}
}

// detframesof is where the frames of t on the stack of gp are.
//
//go:nosplit
func detframesof(gp *g, t reach.Task) detect.Stack {
	return detect.Stack{Lo: gp.stack.lo, Top: dettop(gp, t), Hi: gp.stack.hi}
}

// detfind makes sure that the call path to the frame of bp, the innermost of gp, for an access
// at pc is remembered, and reports whether it is.
//
//go:nosplit
//go:noinline
func detfind(p *detect.Proc, t reach.Task, pc, bp uintptr) bool {
	racecall(detop_path, uintptr(t), pc, 0, bp)
	_, fresh := p.Context(det.Local(t), bp)
	return fresh
}

// detcountedat reports whether the function of pc, in which an access is, has its frames
// counted. That of the runtime which does accesses for package internal/race has not.
func detcountedat(p *detect.Proc, pc uintptr) bool {
	return p.Walk.Single(&detstacks, pc).Counted
}

// detpath is the call path to the frame of bp, remembered from now on. What is remembered
// is compared with the stack before that is walked, unless that was in vain the last time:
// in a recursion it mostly is. counted says that the frame's function is.
func detpath(p *detect.Proc, gp *g, t reach.Task, bp uintptr, counted bool) uint32 {
	if bp < gp.stack.lo || bp >= gp.stack.hi-16 {
		return 0
	}
	l, s := det.Local(t), detframesof(gp, t)
	if context := p.Path(&detstacks, l, &s, bp, counted); context != 0 {
		return context
	}
	old, _ := p.Context(l, bp)
	context := old
	if old == 0 || p.Elsewhere || !detstacks.Matches(callstack.ID(old), bp, s.Lo, s.Top) {
		context = uint32(detwalkto(p, gp, 0, bp, s.Top))
		p.Elsewhere = old != 0 && context != old
	}
	p.Walked(&detstacks, l, &s, bp, context)
	return context
}

// detslow is the rest of detaccess, on g0.
func detslow(p *detect.Proc, t reach.Task, gp *g, op shadow.Op, addr, pc, bp uintptr) {
	p.Accesses[op-shadow.Read]++
	counted := detcountedat(p, pc)
	var a shadow.Access
	detplaced(&a, p, op, pc, detpath(p, gp, t, bp, counted))
	p.Uncounted = !counted
	out := det.Access(p, t, addr, 1, pc, &a)
	p.Uncounted = false
	dettraceaccess(t, addr, 1, &a, out)
	p.Learned(det.Local(t).Strand, op, out)
}

// dettouch tells of an access to one byte that stands for what t did with the given stack.
func dettouch(p *detect.Proc, t reach.Task, addr uintptr, op shadow.Op, stack uint32) {
	pc, caller := detstacks.Frame(callstack.ID(stack))
	var a shadow.Access
	detplaced(&a, p, op, pc, uint32(caller))
	detsynced(&a, stack)
	det.Access(p, t, addr, 1, pc, &a)
}

// detsynced makes a an access that is part of the operation on a stack. A line has a site for
// each kind of operation: to take a lock and to give it back do not say the same.
func detsynced(a *shadow.Access, stack uint32) {
	if stack != 0 {
		a.Site = a.Site&^detclassmask | uint32(detclass(stack))
	}
}

// detplaced makes a an access at pc, reached by the call path context. Its place is that of all
// instructions of the line: what a strand does there to neighbouring bytes has one state.
func detplaced(a *shadow.Access, p *detect.Proc, op shadow.Op, pc uintptr, context uint32) {
	place := p.Walk.Single(&detstacks, pc)
	site := place.Word
	if site == 0 {
		site = detstacks.Word(callstack.ID(context))
	}
	a.Place, a.Context, a.Site, a.Op = uint32(place.Place), context, site, op
}

// detrange is an access that the runtime or the compiler reports with a size.
func detrange(p *detect.Proc, t reach.Task, gp *g, op shadow.Op, addr, size, pc, bp uintptr) {
	if addr-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	if detout.config != record.ConfigFull {
		detcount(p, uintptr(op-shadow.Read))
		return
	}
	detranged(p, t, gp, op, addr, size, pc, detpath(p, gp, t, bp, false))
}

// detranged is detrange of an access reached by the call path context.
func detranged(p *detect.Proc, t reach.Task, gp *g, op shadow.Op, addr, size, pc uintptr, context uint32) {
	p.Accesses[op-shadow.Read]++
	var a shadow.Access
	detplaced(&a, p, op, pc, context)
	a.Header = size == 1 // mostly that of a channel or a map
	out := det.Access(p, t, addr, size, pc, &a)
	if dettrace.On() && !isSystemGoroutine(gp, false) {
		dettraceaccess(t, addr, size, &a, out)
	}
}

// detrangequick is detrange without a look at the history, if the memos say all about it.
func detrangequick(t reach.Task, gp *g, kind, addr, size, pc, bp uintptr) bool {
	if t == 0 || detout.config != record.ConfigFull {
		return false
	}
	p := detproc()
	if p == nil {
		return false
	}
	l := det.Local(t)
	if !detect.KnownRange(p, l, kind, addr, size) {
		if dettrace.On() || addr-gp.stack.lo < gp.stack.hi-gp.stack.lo {
			return false
		}
		if !det.MoveRange(p, l, detect.AccessAt(pc, kind), addr, size, detpath(p, gp, t, bp, false)) {
			return false
		}
	}
	p.Accesses[kind]++
	return true
}
