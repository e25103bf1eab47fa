//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"internal/runtime/atomic"
	_ "unsafe" // for linkname
)

//go:linkname detraceIdles
//go:linkname detraceActs

// detsoles knows when the program has no more than one goroutine: then what it releases begins
// no strands. Who waits for the test that it has started does not count, as only that wakes it with its
// last step, or where it waits to go on beside others; nor do goroutines of the runtime. Finalizers and
// cleanups, which they run, come after everything (see detop_finalizer_goroutine), and the tasks of
// timers do nothing of the program's but to start goroutines for functions that wait for a time.
var detsoles struct {
	n       uint32               // atomic: goroutines of the program
	more    uint32               // atomic: 1 once there were two, or a finalizer ran
	is      offheap.Table[bool]  // by task: it is one of them
	runtime offheap.Table[uint8] // by call stack: see detasked
	later   uint32               // atomic: 1 once there was a function that waits for a time
}

func detsolesinit() {
	detsoles.is.Init(detect.MaxTasks)
	detsoles.runtime.Init(1 << 27)
}

// detsole reports whether t, which runs, is the program's only goroutine and nothing but a go
// statement of its own may start another, and whether there never was another.
func detsole(t reach.Task) (sole, first bool) {
	s := &detsoles
	sole = atomic.Load(&s.n) == 1 && *s.is.At(uint32(t)) && atomic.Load(&s.later) == 0 && !iscgo
	return sole, sole && atomic.Load(&s.more) == 0
}

// detsoleforked counts a new task, started where stack says. Of the root's children only the
// first is a goroutine.
func detsoleforked(parent, t reach.Task, stack uint32) {
	s := &detsoles
	is := !detasked(&s.runtime, stack, detinruntime)
	if parent == det.Engine.Root() {
		is = atomic.Load(&s.n) == 0
	}
	if *s.is.At(uint32(t)) = is; is && atomic.Xadd(&s.n, 1) > 1 {
		atomic.Store(&s.more, 1)
	}
}

// detsoleended takes a task that ends from the count. Its number may become that of a task that
// is no goroutine.
func detsoleended(t reach.Task) {
	s := &detsoles
	if is := s.is.At(uint32(t)); *is {
		*is = false
		atomic.Xadd(&s.n, -1)
	}
}

// detraceIdles and detraceActs say that the calling goroutine waits for its test, and no more.
func detraceIdles() { detsoleidles(-1) }

func detraceActs(went bool) bool {
	detsoleidles(1)
	return went
}

func detsoleidles(more int32) {
	if s := &detsoles; *s.is.At(uint32(getg().racectx)) {
		atomic.Xadd(&s.n, more)
	}
}

// detsolelater tells that a function will run at its time, set where stack says. The alarm of
// package testing ends the program.
func detsolelater(stack uint32) {
	if atomic.Load(&detsoles.later) != 0 {
		return
	}
	var u detunwinder
	for u.init(stack); u.next(); {
		if u.frame.fn == "testing.(*M).startAlarm" {
			return
		}
	}
	atomic.Store(&detsoles.later, 1)
}

// detinruntime reports whether the innermost frame of a stack is one of package runtime.
func detinruntime(stack uint32) bool {
	var u detunwinder
	u.init(stack)
	return u.next() && detpkg(u.frame.fn) == "runtime"
}
