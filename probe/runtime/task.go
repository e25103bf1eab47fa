//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// What follows is called by package task, when it runs the program's tasks
// serially. While its own code runs, the goroutine has no task, so that nothing of
// it is seen.

//go:linkname detraceSerial
//go:linkname detraceTask
//go:linkname detraceBegin
//go:linkname detraceConstruct
//go:linkname detracePromise
//go:linkname detraceUnsynced
//go:linkname detraceStructured
//go:linkname detraceAbandon
//go:linkname detraceFinishing
//go:linkname detraceInnermost
//go:linkname detraceJoin

// detraceSerial makes the calling goroutine's task, which it returns, the root of the
// serial run. It is called once, before any other function here.
func detraceSerial() (root uint32) {
	t := reach.Task(getg().racectx)
	systemstack(func() { det.Serial(t, detout.engine) })
	return uint32(t)
}

// detraceTask makes t, 0 for none, the task of the calling goroutine and returns the one
// before.
func detraceTask(t uint32) (before uint32) {
	gp := getg()
	before = uint32(gp.racectx)
	det.Local(reach.Task(t)).Resumes()
	gp.racectx = uintptr(t)
	return before
}

// detraceUnsynced reports whether t has spawned children that no sync has joined.
func detraceUnsynced(t uint32) bool { return det.Unsynced(reach.Task(t)) }

// detraceBegin makes t, which starts, the task of the calling goroutine. What is on the
// stack by now, the caller's frame among it, is not t's.
//
//go:noinline
func detraceBegin(t uint32) {
	gp := getg()
	l := det.Local(reach.Task(t))
	l.Floor = uint32(gp.stack.hi - sys.GetCallerSP())
	l.Resumes()
	gp.racectx = uintptr(t)
}

// detraceStructured reports whether t belongs to the serial run.
func detraceStructured(t uint32) bool { return det.Structured(reach.Task(t)) }

// detraceFinishing reports whether t itself has a finish open.
func detraceFinishing(t uint32) bool { return det.Finishing(reach.Task(t)) }

// detraceAbandon lets t end all the same.
func detraceAbandon(t uint32) {
	systemstack(func() {
		det.Enter(nil)
		dettracetask(rawtrace.Abandon, reach.Task(t), 0)
		det.Abandon(reach.Task(t))
		det.Leave(nil)
	})
}

// detraceJoin ends a finish of t that is not the innermost one.
func detraceJoin(t, finish uint32) {
	systemstack(func() {
		det.Enter(nil)
		dettracejoin(reach.Task(t), finish)
		det.JoinOutOfOrder(reach.Task(t), finish)
		det.Leave(nil)
	})
}

// detraceInnermost is the innermost finish open around what t does now, 0 if there is
// none.
func detraceInnermost(t uint32) uint32 { return det.Innermost(reach.Task(t)) }

// detracePromise makes a promise; 0 when there are too many.
func detracePromise() (p uint32) {
	systemstack(func() { p = det.NewPromise() })
	return p
}

// detconstructed is a construct on its way to the detector and back.
type detconstructed struct {
	kind    reach.Kind
	other   reach.Task
	promise uint32
	started reach.Task
	why     string
}

// detraceConstruct tells of a construct (a reach.Kind) of t. other is the future or the
// task that is joined. It returns the task started, if any, and why the construct is
// impossible, if it is.
func detraceConstruct(kind uint8, t, other, promise uint32) (started uint32, why string) {
	c := detconstructed{kind: reach.Kind(kind), other: reach.Task(other), promise: promise}
	racecall(detop_construct, uintptr(t), uintptr(unsafe.Pointer(&c)), 0, 0)
	return uint32(c.started), c.why
}

func detconstruct(p *detect.Proc, t reach.Task, c *detconstructed, gp *g, bp uintptr) {
	stack := uint32(0)
	if c.kind.Forks() {
		stack = uint32(detwalkto(p, gp, 0, bp, dettop(gp, t)))
	}
	finish := det.Innermost(t)
	began := detcostbegin()
	started, why := det.Construct(c.kind, t, c.other, c.promise, stack)
	if why.Why == "" {
		detcost(c, t, started, finish, began)
		dettraceconstruct(c, t, started, finish)
	}
	c.started, c.why = started, why.Why
	detexchange(p, t, c.kind, gp, bp)
}

// detexchange looks whether an event of t, a construct or of kind 0, was too much for
// the engine, and says so. If the engine was asked for, that ends the program.
func detexchange(p *detect.Proc, t reach.Task, kind reach.Kind, gp *g, bp uintptr) {
	first, now, why, refused := det.Answering()
	if now == first || !atomic.Cas(&detout.exchanged, 0, 1) {
		return
	}
	stack := uint32(0)
	if p != nil {
		stack = uint32(detwalkto(p, gp, 0, bp, dettop(gp, t)))
	}
	detengine(kind, stack, det.Started(why.Other), why.Why)
	if refused {
		detfinish(1)
		exit(1)
	}
}

// detengines writes which engines judged, and reports whether the one that was asked for
// could not.
func detengines() (refused bool) {
	w := &detout.writer
	first, now, why, refused := det.Answering()
	w.Header32(record.OffEngine, uint32(first))
	w.Header32(record.OffAnswered, uint32(now))
	if refused {
		w.Header32(record.OffFlags, record.FlagRefused)
		if !detout.quiet {
			print("detrace: engine ", first.String(), " cannot judge this program: ", why.Why, "\n")
		}
	}
	return refused
}

// detengine records why an engine did not take a construct, of kind 0 if it was none.
func detengine(kind reach.Kind, stack, stack2 uint32, why string) {
	detputstack(stack)
	detputstack(stack2)
	w := &detout.writer
	w.Begin(record.KindEngine)
	w.U32(uint32(kind))
	w.U32(stack)
	w.U32(stack2)
	w.U32(uint32(len(why)))
	w.Text(why)
	w.End()
}
