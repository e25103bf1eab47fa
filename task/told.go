//go:build detrace_serial || detrace_parallel

package task

import (
	_ "unsafe" // for linkname

	"github.com/detrace/detrace/reach"
)

// What follows tells detrace of each construct. Only programs that detrace builds
// have it. While an executor works, its goroutine has no task, so that detrace sees
// nothing of it.

//go:linkname detraceTask runtime.detraceTask
func detraceTask(t uint32) (before uint32)

//go:linkname detraceConstruct runtime.detraceConstruct
func detraceConstruct(kind uint8, t, other, promise uint32) (started uint32, why string)

//go:linkname detracePromise runtime.detracePromise
func detracePromise() uint32

//go:linkname detraceUnsynced runtime.detraceUnsynced
func detraceUnsynced(t uint32) bool

//go:linkname detraceFinishing runtime.detraceFinishing
func detraceFinishing(t uint32) bool

//go:linkname detraceAbandon runtime.detraceAbandon
func detraceAbandon(t uint32)

//go:linkname detraceJoin runtime.detraceJoin
func detraceJoin(t, finish uint32)

//go:linkname detraceInnermost runtime.detraceInnermost
func detraceInnermost(t uint32) uint32

// leave takes what enter of the executor, which hides it, returned: the running task.
func leave(self uint32) { detraceTask(self) }

// tell tells of a construct of the running task self.
func tell(kind reach.Kind, self, other, promise uint32) (started uint32) {
	started, why := detraceConstruct(uint8(kind), self, other, promise)
	if why != "" {
		panic("task: " + kind.String() + ": " + why)
	}
	return started
}

// told is what detrace was told of a latch.
type told struct {
	owner   uint32   // of a group: the task whose next sync joins its children
	task    uint32   // of a future or on a line: that ends it
	promise uint32   // that opens it
	finish  uint32   // that it is the end of
	others  []uint32 // tasks that the join gets one by one: futures to detrace
}

// open begins a finish.
func (executor) open(l *latch) {
	self := enter()
	tell(reach.Finish, self, 0, 0)
	l.finish = detraceInnermost(self)
	leave(self)
}

// promises makes l that of a promise.
func (l *told) promises() {
	if l.promise = detracePromise(); l.promise == 0 {
		panic("task: there are more promises than detrace has room for")
	}
}

// starts tells of a task that self starts and l waits for.
func (l *told) starts(c construct, self uint32) (child uint32) {
	kind := l.kind(c, self)
	child = tell(kind, self, 0, 0)
	switch {
	case c == create || c == fork:
		l.task = child
	case kind == reach.Create:
		l.others = append(l.others, child)
	}
	return child
}

// kind is the construct that starts a task. A group and a scope are not always what
// detrace calls spawn and async. Of the groups that a task uses at one time, one can
// be what its sync joins; another is a finish from its first spawn to its sync. And
// an async may be on an outer scope, or a spawn in a group while a later one is not
// synced: such tasks are futures, which the join gets.
func (l *told) kind(c construct, self uint32) reach.Kind {
	switch c {
	case spawn:
		if l.finish == 0 && l.owner != self && !detraceUnsynced(self) {
			l.owner = self
		}
		if l.owner == self && l.finish == 0 {
			return reach.Spawn
		}
		if l.finish == 0 {
			tell(reach.Finish, self, 0, 0)
			l.owner, l.finish = self, detraceInnermost(self)
		}
		if l.owner == self && l.finish == detraceInnermost(self) {
			return reach.Async
		}
	case async:
		if l.isAsync(self) {
			return reach.Async
		}
	case fork:
		return reach.Fork
	}
	return reach.Create
}

// isAsync reports whether what self starts in the scope is one of the tasks of the innermost
// finish.
func (l *told) isAsync(self uint32) bool { return detraceInnermost(self) == l.finish }

// ends tells of the end of self.
func ends(self uint32) {
	if detraceUnsynced(self) || detraceFinishing(self) {
		detraceAbandon(self)
	}
	tell(reach.End, self, 0, 0)
}

// joins tells that self joins what l, which is open, has waited for.
func (l *told) joins(c construct, self uint32) {
	switch c {
	case spawn:
		switch {
		case l.owner != self:
		case l.finish == 0:
			tell(reach.Sync, self, 0, 0)
		default:
			l.endFinish(self)
		}
		l.owner = 0
	case async:
		tell(reach.EndFinish, self, 0, 0)
	case create:
		tell(reach.Get, self, l.task, 0)
	case fork:
		tell(reach.Join, self, l.task, 0)
	case set:
		tell(reach.Await, self, 0, l.promise)
	}
	if len(l.others) > 0 { // else several may join, which only read
		for _, t := range l.others {
			tell(reach.Get, self, t, 0)
		}
		l.others = nil
	}
}

// endFinish ends the finish that l has been since its first spawn.
func (l *told) endFinish(self uint32) {
	if detraceInnermost(self) == l.finish {
		tell(reach.EndFinish, self, 0, 0)
	} else {
		detraceJoin(self, l.finish)
	}
	l.finish = 0
}
