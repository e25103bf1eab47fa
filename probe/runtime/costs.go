//go:build judged

package runtime

import (
	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/reach"
	"unsafe"
)

// detcosts is the file to which a parallel run writes its constructs, and how much CPU
// time the process had had whenever a task stopped its own work and before and after the
// detector was told of a construct. On one processor, what passes from one such time to
// the next belongs to one strand, but for garbage collection and what was preempted.
var detcosts rawtrace.Writer

// detcoststart begins the file with the given name, from the environment.
func detcoststart(path *byte) {
	dettracefile(&detcosts, path)
	const readings = 1000
	began := detcpu()
	for range readings {
		detcpu()
	}
	took := detcpu() - began
	detcosts.Lock()
	detcosts.Append(rawtrace.Event{Kind: rawtrace.Clock, Size: took})
	detcosts.Unlock()
}

// detcpu is the CPU time that the process has had, in nanoseconds.
func detcpu() uint64 {
	var ts struct{ sec, nsec int64 }
	detsyscall(228 /* clock_gettime */, 2 /* CLOCK_PROCESS_CPUTIME_ID */, uintptr(unsafe.Pointer(&ts)), 0, 0, 0, 0)
	return uint64(ts.sec*1e9 + ts.nsec)
}

// dethalted tells that a task stops its own work, or with 0 that the process ends.
func dethalted(task uint32) {
	w := &detcosts
	w.Lock()
	w.Append(rawtrace.Event{Kind: rawtrace.Halted, Task: task, Addr: detcpu()})
	w.Unlock()
}

// detcostbegin is the time before the detector is told of a construct.
func detcostbegin() uint64 {
	if !detcosts.On() {
		return 0
	}
	return detcpu()
}

// detcost tells of a construct of t that has been made; finish was the innermost one before.
func detcost(c *detconstructed, t, started reach.Task, finish uint32, began uint64) {
	w := &detcosts
	if !w.On() {
		return
	}
	e := detraw(c, t, started, finish)
	w.Lock()
	w.Append(e)
	w.Append(rawtrace.Event{Kind: rawtrace.Cost, Task: e.Task, Addr: began, Size: detcpu()})
	w.Unlock()
}
