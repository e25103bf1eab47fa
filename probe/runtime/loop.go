//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/runtime/sys"
	"unsafe"
)

// detraceLoop is called by loops whose accesses are checked together, before they run
// without hooks. It makes the accesses of one reference, of kind op (a shadow.Op), to
// the elements at base plus each stride times any number below its count, and belongs to
// the line of its call. All counts are at least 1.
//
//go:linkname detraceLoop
func detraceLoop(op uint32, base unsafe.Pointer, n0, stride0, n1, stride1, n2, stride2 int) {
	l := detlooped{box: shadow.Box{Base: uintptr(base), Dims: [shadow.BoxDims]shadow.Dim{{n0, stride0}, {n1, stride1}, {n2, stride2}}}}
	l.op, l.pc = shadow.Op(op), sys.GetCallerPC()
	// Below the return address is the caller's frame pointer.
	bp := *(*uintptr)(unsafe.Pointer(sys.GetCallerSP() - 16))
	if !l.quick(bp) {
		l.tell(bp)
	}
}

// quick is the fast path of detraceLoop, on the program's own stack. It looks at nothing that
// is on a stack, as that has no history.
//
//go:nosplit
func (l *detlooped) quick(bp uintptr) bool {
	gp := getg()
	t := reach.Task(gp.racectx)
	if t == 0 || detout.config != record.ConfigFull || dettrace.On() || l.box.Base-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return false
	}
	p := (*detect.Proc)(unsafe.Pointer(gp.m.p.ptr().raceprocctx))
	return detect.Quick(p, det.Local(t), detect.AccessAt(l.pc, uintptr(l.op-shadow.Read)), bp, &l.box)
}

// detraceMasked is detraceLoop for what the loops touch on a condition, after they ran:
// mask has the rounds in which they did, the box's part of them as shadow.Rounds says.
//
//go:linkname detraceMasked
func detraceMasked(op uint32, base unsafe.Pointer, mask *shadow.Mask, first, row, plane, n0, stride0, n1, stride1, n2, stride2 int) {
	l := detlooped{rounds: shadow.Rounds{Mask: mask, First: first, Row: row, Plane: plane}, box: shadow.Box{Base: uintptr(base), Dims: [shadow.BoxDims]shadow.Dim{{n0, stride0}, {n1, stride1}, {n2, stride2}}}}
	l.op, l.pc = shadow.Op(op), sys.GetCallerPC()
	l.tell(*(*uintptr)(unsafe.Pointer(sys.GetCallerSP() - 16)))
}

// detraceHere notes the line of its call, for detraceEither.
//
//go:linkname detraceHere
func detraceHere(at *uintptr) { *at = sys.GetCallerPC() }

// detraceEither is detraceMasked for two references that never touch the same element: those
// of the bits of one mask are accessed where detraceHere was called, those of the other where
// this is. The first element is that of bit first.
//
//go:linkname detraceEither
func detraceEither(op uint32, here uintptr, base unsafe.Pointer, one, other *shadow.Mask, first, n, stride int) {
	l := detlooped{rounds: shadow.Rounds{Mask: one, First: first}, other: other, here: here,
		box: shadow.Box{Base: uintptr(base), Dims: [shadow.BoxDims]shadow.Dim{{n, stride}, {1, 0}, {1, 0}}}}
	l.op, l.pc = shadow.Op(op), sys.GetCallerPC()
	l.tell(*(*uintptr)(unsafe.Pointer(sys.GetCallerSP() - 16)))
}

// detscattered are indices that a loop came to, which no arithmetic tells of: at most mostScattered.
type detscattered struct {
	here, n uintptr
	indices [mostScattered]uintptr
}

const mostScattered = 30

// detraceScattered makes the accesses of one reference of a loop to elements of a size at base, at
// the indices that were noted, and forgets these. It is called by what runs a loop without hooks, when
// that is over and whenever there are as many as fit; the accesses belong to who called that, to the line where
// detraceHere was called.
//
//go:linkname detraceScattered
func detraceScattered(op uint32, base unsafe.Pointer, size uintptr, s *detscattered) {
	gp := getg()
	indices := s.indices[:s.n]
	s.n = 0
	t := reach.Task(gp.racectx)
	if t == 0 || uintptr(base)-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	// Of the caller, and of its caller.
	bp := *(*uintptr)(unsafe.Pointer(sys.GetCallerSP() - 16))
	bp = *(*uintptr)(unsafe.Pointer(bp))
	for len(indices) > 0 {
		indices = detscatter(shadow.Op(op), t, uintptr(base), size, indices, s.here, bp)
	}
}

// detscatter makes some of the accesses, at least one, and returns the indices of the others. The goroutine is not
// preempted meanwhile.
//
//go:nosplit
func detscatter(op shadow.Op, t reach.Task, base, size uintptr, indices []uintptr, pc, bp uintptr) (left []uintptr) {
	p := (*detect.Proc)(unsafe.Pointer(getg().m.p.ptr().raceprocctx))
	if detout.config != record.ConfigFull {
		detcount(p, uintptr(op-shadow.Read))
		return indices[1:]
	}
	at := detect.AccessAt(pc, uintptr(op-shadow.Read))
	if !dettrace.On() {
		if indices = detect.QuickScattered(p, det.Local(t), at, bp, base, size, indices); len(indices) == 0 {
			return nil
		}
	}
	addr := base + indices[0]*size
	path := det.Shortcut(p, t, addr, at, bp)
	if path == detect.ByLine {
		path = detect.InLine(p, det.Local(t), addr, at, bp)
	}
	if path != detect.Done {
		racecall(detop_read+uintptr(op-shadow.Read), uintptr(t), addr, pc, bp)
	}
	return indices[1:]
}

// detlooped is the accesses of one reference, or of two, on their way to the detector.
type detlooped struct {
	box    shadow.Box
	rounds shadow.Rounds // in which they are made; without a mask in all
	op     shadow.Op
	pc     uintptr

	// The rounds with the accesses at pc, if those above have the accesses at here.
	other *shadow.Mask
	here  uintptr
}

func (l *detlooped) tell(bp uintptr) {
	if gp := getg(); gp.racectx != 0 {
		racecall(detop_loop, gp.racectx, uintptr(unsafe.Pointer(l)), 0, bp)
	}
}

// detloop makes the accesses of one reference of a loop. What is on the stack is nobody
// else's.
func detloop(p *detect.Proc, t reach.Task, gp *g, l *detlooped, bp uintptr) {
	b := l.box.Normal()
	if b.Base-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	count := &p.Accesses[l.op-shadow.Read]
	if detout.config != record.ConfigFull {
		if detout.config == record.ConfigInstr && l.rounds.Mask != nil {
			*count += l.each(func(uintptr) {})
			if l.other != nil {
				l.rounds.Mask = l.other
				*count += l.each(func(uintptr) {})
			}
		} else if detout.config == record.ConfigInstr {
			*count += b.Elements()
		}
		return
	}
	path := detpath(p, gp, t, bp, false)
	if l.other != nil {
		deteither(p, t, l, path, count)
		return
	}
	var a shadow.Access
	detplaced(&a, p, l.op, l.pc, path)
	switch {
	case dettrace.On():
		*count += l.each(func(addr uintptr) {
			dettraceaccess(t, addr, 1, &a, det.Access(p, t, addr, 1, l.pc, &a))
		})
	case l.rounds.Mask != nil:
		*count += det.AccessMasked(p, t, l.box, l.rounds, l.pc, &a)
	default:
		*count += b.Elements()
		det.AccessBox(p, t, b, l.pc, &a)
	}
}

// deteither makes the accesses of two references of a loop, of which path leads to the function.
func deteither(p *detect.Proc, t reach.Task, l *detlooped, path uint32, count *uint64) {
	pcs, masks := [2]uintptr{l.here, l.pc}, [2]*shadow.Mask{l.rounds.Mask, l.other}
	var all [2]shadow.Access
	for i := range all {
		detplaced(&all[i], p, l.op, pcs[i], path)
	}
	if !dettrace.On() {
		d := l.box.Dims[0]
		n := det.AccessEither(p, t, shadow.Row{Base: l.box.Base, Count: d.Count, Stride: d.Stride, First: l.rounds.First, Masks: masks}, pcs, &all)
		*count += n[0] + n[1]
		return
	}
	for i := range all {
		l.rounds.Mask = masks[i]
		*count += l.each(func(addr uintptr) {
			dettraceaccess(t, addr, 1, &all[i], det.Access(p, t, addr, 1, pcs[i], &all[i]))
		})
	}
}

// each calls f for the address of every access in turn, and returns how many there are.
func (l *detlooped) each(f func(addr uintptr)) (n uint64) {
	d, m := &l.box.Dims, l.rounds.Mask
	for k := range d[2].Count {
		for j := range d[1].Count {
			for i := range d[0].Count {
				at := l.rounds.First + i + j*l.rounds.Row + k*l.rounds.Plane
				if m == nil || m[at/64]>>(at%64)&1 != 0 {
					f(l.box.Base + uintptr(i*d[0].Stride+j*d[1].Stride+k*d[2].Stride))
					n++
				}
			}
		}
	}
	return n
}

// detraceInside reports whether the indices first plus each step times any number below
// its count are all below length, and the counts at least 1. It is what a loop asks
// before it has its accesses checked together.
//
//go:linkname detraceInside
func detraceInside(length, first, n0, step0, n1, step1, n2, step2 int) bool {
	return shadow.Inside(length, first, &[shadow.BoxDims]shadow.Dim{{n0, step0}, {n1, step1}, {n2, step2}})
}
