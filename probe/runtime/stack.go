//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/callstack"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/abi"
	"internal/stringslite"
	"unsafe"
)

// detstacks are the call stacks of remembered accesses, forks and reasons, as
// return addresses.
var detstacks callstack.Tree

// detmoved says that the stack of gp, which does not run meanwhile, lies elsewhere. Tasks that wait for
// the one that runs there are told when they go on.
func detmoved(gp *g) {
	if t := reach.Task(gp.racectx); t != 0 {
		det.Local(t).Moves()
	}
}

// detwalk interns the stack of gp that starts at pc (0: not known) in the frame
// of bp, by the chain of frame pointers.
func detwalk(p *detect.Proc, gp *g, pc, bp uintptr) callstack.ID {
	return detwalkto(p, gp, pc, bp, dettop(gp, reach.Task(gp.racectx)))
}

// dettop is the upper end of t's frames on the stack of gp.
//
//go:nosplit
func dettop(gp *g, t reach.Task) uintptr { return gp.stack.hi - uintptr(det.Local(t).Floor) }

// detwalkto is detwalk for frames below top.
func detwalkto(p *detect.Proc, gp *g, pc, bp, top uintptr) callstack.ID {
	w := &p.Walk
	if pc == 0 {
		return w.Chain(&detstacks, bp, gp.stack.lo, top)
	}
	w.Reset()
	w.Push(pc)
	w.Climb(bp, gp.stack.lo, top)
	return w.Intern(&detstacks)
}

// detfull is the whole stack of an access, innermost frame included. Of a mixed
// context only the frames down from the access's site are certain.
func detfull(a shadow.Access) uint32 {
	context := callstack.ID(a.Context &^ shadow.Mixed)
	if a.Context&shadow.Mixed != 0 {
		if detstacks.Word(callstack.ID(a.Place)) != 0 {
			return a.Place
		}
		context = detbelow(context)
	}
	pc, _ := detstacks.Frame(callstack.ID(a.Place))
	return uint32(detstacks.Call(context, pc))
}

// detbelow is the part of a stack from its innermost frame of the program's own on, 0
// if there is none near.
func detbelow(stack callstack.ID) callstack.ID {
	var pcs [8]uintptr
	for n := range pcs {
		if stack == 0 {
			break
		}
		pcs[n], stack = detstacks.Frame(stack)
		if detstacks.Word(detstacks.Call(0, pcs[n])) == 0 {
			continue
		}
		cut := callstack.ID(0)
		for ; n >= 0; n-- {
			cut = detstacks.Call(cut, pcs[n])
		}
		return cut
	}
	return 0
}

// detframe is one source-level frame.
type detframe struct {
	fn, file    string
	line, start int32
	std         bool
}

// detunwinder turns a stack into source-level frames, innermost first, inlined
// calls expanded.
type detunwinder struct {
	stack callstack.ID // rest, after the physical frame in u
	u     inlineUnwinder
	uf    inlineFrame
	fi    funcInfo
	frame detframe
}

func (d *detunwinder) init(stack uint32) {
	d.stack = callstack.ID(stack)
	d.uf = inlineFrame{}
}

func (d *detunwinder) at(pc uintptr) {
	d.fi = findfunc(pc - 1)
	if d.fi.valid() {
		d.u, d.uf = newInlineUnwinder(d.fi, pc-1)
	}
}

// next moves to the next frame and reports whether there is one.
func (d *detunwinder) next() bool {
	for {
		for !d.uf.valid() {
			if d.stack == 0 {
				return false
			}
			var pc uintptr
			pc, d.stack = detstacks.Frame(d.stack)
			d.at(pc)
		}
		sf := d.u.srcFunc(d.uf)
		file, line := d.u.fileLine(d.uf)
		d.frame = detframe{fn: sf.name(), file: file, line: int32(line), start: sf.startLine}
		d.frame.std = detstd(d.frame.file, d.frame.fn)
		d.uf = d.u.next(d.uf)
		if stringslite.HasPrefix(detreceiver(d.frame.fn), "detraceRun") {
			d.outlined()
		}
		if sf.funcID == abi.FuncIDWrapper || sf.funcID == abi.FuncID_goexit {
			continue
		}
		return true
	}
}

// outlined makes the frame of a loop that runs in a function of its own that of the
// function it was written in, which called it.
func (d *detunwinder) outlined() {
	if d.stack == 0 {
		return
	}
	var pc uintptr
	pc, d.stack = detstacks.Frame(d.stack)
	if d.at(pc); d.uf.valid() {
		sf := d.u.srcFunc(d.uf)
		d.frame.fn, d.frame.start = sf.name(), sf.startLine
		d.uf = d.u.next(d.uf)
	}
}

// detdescribe is what detstacks asks of a program counter.
func detdescribe(pc uintptr) (word uint32, counted bool) { return detsite(pc), detcounted(pc) }

// detcounted reports whether the function of pc, which it returns to, calls racefuncenter
// before anything else: the call is in its first block.
func detcounted(pc uintptr) bool {
	f := findfunc(pc - 1)
	if !f.valid() {
		return false
	}
	const call = 5 // bytes of the instruction, of which the last four are how far it goes
	enter := abi.FuncPCABIInternal(racefuncenter)
	for at := f.entry(); at+call < pc; at++ {
		if *(*byte)(unsafe.Pointer(at)) == 0xe8 && at+call+uintptr(*(*int32)(unsafe.Pointer(at + 1))) == enter {
			return true
		}
	}
	return false
}

// detfirstpc is the return address of the first instruction of the function at pc that has the same
// source-level frames as pc, or pc where there is none.
func detfirstpc(pc uintptr) uintptr {
	f := findfunc(pc - 1)
	if !f.valid() {
		return pc
	}
	is := detpointof(f, pc-1)
	table, at, line := f.datap.pctab[f.pcln:], f.entry(), int32(-1)
	for {
		from, more := at, false
		if table, more = step(table, &at, &line, from == f.entry()); !more {
			return pc
		}
		if line == is.line && detpointof(f, from) == is {
			return from + 1
		}
	}
}

// detpoint is what the source-level frames of an instruction of a function depend on.
type detpoint struct{ file, line, inlined int32 }

func detpointof(f funcInfo, pc uintptr) (is detpoint) {
	is.file, _ = pcvalue(f, f.pcfile, pc, false)
	is.line, _ = pcvalue(f, f.pcln, pc, false)
	is.inlined = pcdatavalue1(f, abi.PCDATA_InlTreeIndex, pc, false)
	return is
}

// detsite is the site word of a program counter: 0 unless one of its
// source-level frames is the program's own, otherwise a hash of function and
// line. Equal sites have equal words; a collision costs determinism of reports,
// not soundness.
func detsite(pc uintptr) uint32 {
	var d detunwinder
	d.init(0)
	for d.at(pc); d.next(); {
		if !d.frame.std {
			h := uint64(uintptr(unsafe.Pointer(unsafe.StringData(d.frame.fn))))
			h = (h ^ uint64(d.frame.line)) * 0x9E3779B97F4A7C15
			return uint32(h>>34) | 1
		}
	}
	return 0
}

// detroot is the directory of the standard library as the program's own line
// tables name it.
var detroot string

// detstd reports whether a function is the standard library's.
func detstd(file, fn string) bool {
	if detroot == "" {
		self, _ := funcline(findfunc(abi.FuncPCABIInternal(detstd)), abi.FuncPCABIInternal(detstd))
		if stringslite.HasPrefix(self, detgoroot) {
			detroot = detgoroot + "src/"
		}
	}
	if detroot != "" {
		return stringslite.HasPrefix(file, detroot) || file == "<autogenerated>"
	}
	// Built with -trimpath: files are named by import path, and only those of
	// the standard library have no dot in its first element.
	pkg := detpkg(fn)
	if i := stringslite.IndexByte(pkg, '/'); i >= 0 {
		pkg = pkg[:i]
	}
	return pkg != "main" && stringslite.IndexByte(pkg, '.') < 0
}

// detpkg is the import path of a function's package.
func detpkg(fn string) string {
	slash := 0
	for i := 0; i < len(fn); i++ {
		if fn[i] == '/' {
			slash = i
		} else if fn[i] == '[' {
			break
		}
	}
	for i := slash; i < len(fn); i++ {
		if fn[i] == '.' {
			return fn[:i]
		}
	}
	return fn
}

// detreceiver is the element of a function's name after its package: the
// receiver of a method.
func detreceiver(fn string) string {
	rest := fn[len(detpkg(fn)):]
	if rest == "" {
		return ""
	}
	rest = rest[1:]
	for i := 0; i < len(rest); i++ {
		if rest[i] == '.' || rest[i] == '[' {
			return rest[:i]
		}
	}
	return rest
}

// detuserfirst reports whether the innermost frame outside the runtime and the
// synchronisation packages is the program's own.
func detuserfirst(stack uint32) bool { return detasked(&detdirect, stack, detuserfirstof) }

func detuserfirstof(stack uint32) bool {
	var u detunwinder
	for u.init(stack); u.next(); {
		switch detpkg(u.frame.fn) {
		case "runtime", "internal/race", "sync", "internal/sync", "sync/atomic", "reflect":
			continue
		}
		return !u.frame.std
	}
	return false
}
