//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/runtime/sys"
	"unsafe"
)

// A scope is what tasks do on behalf of one test. It begins at a strand of a task and
// goes on in all that the task starts from then on. Package testing says when.

//go:linkname detraceScope
//go:linkname detraceInScope
//go:linkname detraceOrigin
//go:linkname detraceFrom
//go:linkname detraceLeft
//go:linkname detraceEnded

// detmaxmarks is how often a scope can begin in one run; later ones have no name.
const detmaxmarks = 1 << 24

// detscopes is empty until the first scope begins.
var detscopes struct {
	on    bool
	lock  offheap.Lock // guards the next two
	marks offheap.Table[detmark]
	last  uint32                   // mark, and scope, that was made
	tasks offheap.Table[detscoped] // by task; each written by the thread that acts for it
}

// detscoped is the scope that a task began in, and the last of its own marks.
type detscoped struct{ first, mark uint32 }

// detmark says that from a position of a task on, another scope counts.
type detmark struct {
	index, scope, before uint32
	watched              bool // what is found in the scope is kept as text
}

// detscopeof is the scope of a strand, 0 if it has none.
func detscopeof(s reach.Strand) uint32 {
	if !detscopes.on {
		return 0
	}
	own := detscopes.tasks.At(uint32(s.Task()))
	for m := offheap.Load32(&own.mark); m != 0; {
		mark := detscopes.marks.At(m)
		if mark.index <= s.Index() {
			return mark.scope
		}
		m = mark.before
	}
	return own.first
}

// detscopenow is the scope of what t does now.
func detscopenow(t reach.Task) uint32 {
	if t == 0 || !detscopes.on {
		return 0
	}
	return detscopeof(det.Engine.Strand(t))
}

// detscopehere is the scope of what the running goroutine does.
func detscopehere() uint32 {
	if gp := getg().m.curg; gp != nil {
		return detscopenow(reach.Task(gp.racectx))
	}
	return 0
}

// detscopepair is the scopes of two accesses, 24 bits each.
func detscopepair(first, second shadow.Access) uint64 {
	return uint64(detscopeof(first.Strand))<<24 | uint64(detscopeof(second.Strand))
}

// detscopefork lets a new task go on in its parent's scope.
func detscopefork(parent, child reach.Task) {
	if detscopes.on {
		*detscopes.tasks.At(uint32(child)) = detscoped{first: detscopenow(parent)}
	}
}

// detscopecall is a call on its way to the detector and back.
type detscopecall struct {
	kind    int
	name    string
	scope   uint32
	outcome uint32
	stack   uint32
	ns      int64
	self    *g
}

const (
	detscopebegin = iota
	detscopeback
	detscopeleft
	detscopeended
	detscopewatch
	detscopeorigin
	detscopefrom
)

func detraceScope(name string) (scope uint32) {
	c := detscopecall{kind: detscopebegin, name: name}
	racecall(detop_scope, getg().racectx, uintptr(unsafe.Pointer(&c)), 0, 0)
	return c.scope
}

func detraceInScope(scope uint32) (before uint32) {
	c := detscopecall{kind: detscopeback, scope: scope}
	racecall(detop_scope, getg().racectx, uintptr(unsafe.Pointer(&c)), 0, 0)
	return c.scope
}

// detraceOrigin is the scope and the call stack of the calling goroutine.
func detraceOrigin() (scope, stack uint32) {
	c := detscopecall{kind: detscopeorigin}
	racecall(detop_scope, getg().racectx, uintptr(unsafe.Pointer(&c)), 0, 0)
	return c.scope, c.stack
}

// detraceFrom makes the calling goroutine one that was started at an origin: a timer's,
// which the scheduler starts for nobody. The caller's frame is not its own.
//
//go:noinline
func detraceFrom(scope, stack uint32) {
	gp := getg()
	if gp.racectx != 0 {
		l := det.Local(reach.Task(gp.racectx))
		l.Floor = uint32(gp.stack.hi - sys.GetCallerSP())
		l.Resumes()
	}
	c := detscopecall{kind: detscopefrom, scope: scope, stack: stack}
	racecall(detop_scope, getg().racectx, uintptr(unsafe.Pointer(&c)), 0, 0)
}

func detraceLeft(scope uint32) (n uint32) {
	c := detscopecall{kind: detscopeleft, scope: scope, self: getg()}
	racecall(detop_scope, 0, uintptr(unsafe.Pointer(&c)), 0, 0)
	return c.outcome
}

func detraceEnded(scope, outcome uint32, ns int64) {
	c := detscopecall{kind: detscopeended, scope: scope, outcome: outcome, ns: ns, self: getg()}
	racecall(detop_scope, 0, uintptr(unsafe.Pointer(&c)), 0, 0)
}

func detscope(p *detect.Proc, t reach.Task, c *detscopecall, gp *g, bp uintptr) {
	switch c.kind {
	case detscopeorigin:
		c.scope = detscopenow(t)
		if p != nil && t != 0 {
			c.stack = uint32(detwalk(p, gp, 0, bp))
		}
		detsolelater(c.stack)
	case detscopefrom:
		if c.scope != 0 {
			detscopemark(t, c.scope)
		}
		if c.stack != 0 && t != 0 {
			det.Engine.SetForkStack(t, c.stack)
		}
	case detscopebegin:
		c.scope = detscopenew(t, record.KindTest, c.name)
	case detscopewatch:
		detwatchinit()
		if c.scope = detscopenew(t, record.KindTestPart, c.name); c.scope != 0 {
			detscopes.marks.At(c.scope).watched = true
		}
	case detscopeback:
		before := detscopenow(t)
		detscopemark(t, c.scope)
		c.scope = before
	case detscopeleft:
		c.outcome = detscopegs(c.scope, c.self, nil)
	case detscopeended:
		w := &detout.writer
		w.Begin(record.KindTestEnd)
		w.U32(c.scope)
		w.U32(c.outcome)
		w.U64(uint64(c.ns))
		w.End()
		detscopegs(c.scope, c.self, detscopeleftover)
	}
}

func detscopenew(t reach.Task, kind uint32, name string) (scope uint32) {
	if t == 0 {
		return 0
	}
	detscopes.lock.Lock()
	if !detscopes.on {
		detscopes.tasks.Init(1 << 25)
		detscopes.marks.Init(detmaxmarks)
		detscopes.on = true
	}
	detscopes.lock.Unlock()
	if scope = detscopemark(t, 0); scope == 0 {
		return 0
	}
	detscopes.marks.At(scope).scope = scope
	w := &detout.writer
	w.Begin(kind)
	w.U32(scope)
	w.U32(uint32(len(name)))
	w.Text(name)
	w.End()
	return scope
}

// detscopemark begins a strand of t, and with it a scope. It returns the mark's number.
func detscopemark(t reach.Task, scope uint32) uint32 {
	if t == 0 || !detscopes.on {
		return 0
	}
	detscopes.lock.Lock()
	m := detscopes.last + 1
	if m < detmaxmarks {
		detscopes.last = m
	}
	detscopes.lock.Unlock()
	if m >= detmaxmarks {
		return 0
	}
	det.Anew(t)
	own := detscopes.tasks.At(uint32(t))
	*detscopes.marks.At(m) = detmark{index: det.Engine.Strand(t).Index(), scope: scope, before: own.mark}
	offheap.Store32(&own.mark, m)
	return m
}

// detscopeleave lets t act on behalf of nobody.
func detscopeleave(t reach.Task) {
	if detscopenow(t) != 0 {
		detscopemark(t, 0)
	}
}

// detscopegs counts the goroutines of a scope but self, and calls each for their tasks.
func detscopegs(scope uint32, self *g, each func(scope uint32, t reach.Task)) (n uint32) {
	forEachGRace(func(gp *g) {
		t := reach.Task(gp.racectx)
		if gp == self || t == 0 || readgstatus(gp)&^_Gscan == _Gdead || isSystemGoroutine(gp, false) || detscopenow(t) != scope {
			return
		}
		n++
		if each != nil {
			each(scope, t)
		}
	})
	return n
}

// detscopeleftover records a goroutine that outlives its scope.
func detscopeleftover(scope uint32, t reach.Task) {
	stack := det.Engine.ForkStack(t)
	detputstack(stack)
	w := &detout.writer
	w.Begin(record.KindLeft)
	w.U32(scope)
	w.U32(stack)
	w.End()
}
