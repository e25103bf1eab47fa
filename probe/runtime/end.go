//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/runtime/atomic"
	"unsafe"
)

//go:linkname detraceGoOn

// detends stands for the end of the program, which writes it, by an access. Whoever writes to
// a file or a terminal reads it: what is in no order with the end may not be written any more.
var detends uint64

func detendsat() uintptr { return uintptr(unsafe.Pointer(&detends)) }

// detending is set once a goroutine has ended the program.
var detending uint32

// detendwait is how long goroutines left behind may run on, in nanoseconds: as long as the
// race runtime of Go lets them.
const detendwait = 1e9

// outputs tells that the program writes to the open file whose lock is at addr. What it
// writes to others, over a connection or a pipe, is in an order with their answers that is
// not seen.
func (s *detsyncing) outputs(addr uintptr) {
	const stdout, stderr = 1, 2
	if fd := *(*int)(unsafe.Pointer(addr + detsysfd)); fd == stdout || fd == stderr || detpositioned(addr) {
		s.access(detendsat(), shadow.AtomicRead)
	}
}

// detend is called by the runtime where a goroutine ends the program. What others would have
// done had it come later is as possible as its coming now: they go on until all have ended or
// wait, for a while. The program ends as the first one says who comes here.
//
//go:noinline
func detend() {
	racecall(detop_end, getg().racectx, 0, 0, 0)
	if !atomic.Cas(&detending, 0, 1) {
		gopark(nil, nil, waitReasonPanicWait, traceBlockForever, 1)
	}
	detraceGoOn(0)
}

// detraceGoOn lets the goroutines of a scope, 0 for all, go on until they have ended or wait,
// and says which of them do not come to that.
func detraceGoOn(scope uint32) {
	began := nanotime()
	for i := 0; detleftbehind(scope, detruns, nil) > 0; i++ {
		if nanotime()-began > detendwait {
			break
		}
		if Gosched(); i > 100 {
			usleep(50)
		}
	}
	racecall(detop_end, getg().racectx, 1, uintptr(scope), 0)
}

// detended tells that t ends the program, or, later, which goroutines it ends before they have
// come to their end: what they would do is not judged. Of tests that is told in their scopes,
// and what they have written does not depend on it.
func detended(p *detect.Proc, t reach.Task, later bool, scope uint32, gp *g, bp uintptr) {
	switch {
	case later:
		detleftbehind(scope, detgoeson, func(t reach.Task) {
			of := detscopenow(t)
			if stack := det.Engine.ForkStack(t); stack != 0 && (of != 0 || !detout.tests) {
				detreasonin(of, detreasonend, stack, 0)
			}
		})
	case p != nil && !detout.tests:
		dettouch(p, t, detendsat(), shadow.AtomicWrite, uint32(detwalk(p, gp, 0, bp)))
	}
}

// detleftbehind counts the goroutines of a scope, 0 for all, beside the running one, that are
// so, and calls each, if there is one, for their tasks.
func detleftbehind(scope uint32, so func(gp *g) bool, each func(t reach.Task)) (n uint32) {
	self := getg().m.curg
	forEachGRace(func(gp *g) {
		t := reach.Task(gp.racectx)
		if gp == self || isSystemGoroutine(gp, false) || !so(gp) || scope != 0 && detscopenow(t) != scope ||
			funcname(findfunc(gp.startpc)) == "os/signal.loop" {
			return
		}
		n++
		if each != nil && t != 0 {
			each(t)
		}
	})
	return n
}

// detruns reports whether gp runs, is ready to, or is in a call of the system.
func detruns(gp *g) bool {
	switch readgstatus(gp) &^ _Gscan {
	case _Grunnable, _Grunning, _Gsyscall, _Gpreempted:
		return true
	}
	return false
}

// detgoeson reports whether gp runs, or waits for a time to come.
func detgoeson(gp *g) bool {
	if readgstatus(gp)&^_Gscan != _Gwaiting {
		return detruns(gp)
	}
	for s := gp.waiting; s != nil; s = s.waitlink {
		if c := detwaitsat(s); c != nil && c.timer != nil {
			return true
		}
	}
	return gp.waitreason == waitReasonSleep
}
