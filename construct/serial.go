package construct

import (
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// joiner is the task whose sync or end of a finish joins k, if one does, 0 if none can.
func (r *Run) joiner(k *task) uint32 {
	switch k.kind {
	case reach.Spawn:
		return k.parent
	case reach.Async:
		return r.finishes.At(k.inherited).owner
	}
	return 0
}

// Outlasted reports whether what the running task t does now, if a is parallel to it, will
// precede whatever a comes to precede, because whoever joins a joins t as well, or is t.
// It presumes that up to now the run, which is depth-first, had no other constructs than
// spawn, sync, async and finish, and that no task ended without the joins that it owed.
// Cost: a step for each task around a that has ended; it gives up after a few.
func (r *Run) Outlasted(a, t reach.Task) bool {
	k, self := r.task(uint32(a)), r.task(uint32(t))
	if !k.ended || self.ended {
		return false
	}
	by := r.joiner(k)
	for range 32 {
		if by == 0 || !r.task(by).ended {
			break
		}
		k = r.task(by)
		by = r.joiner(k)
	}
	switch {
	case by == 0 || r.task(by).ended:
		return false
	case by == uint32(t):
		return true
	case k.kind == reach.Spawn:
		return self.kind == reach.Spawn && self.parent == by
	}
	return self.kind == reach.Async && self.inherited == k.inherited
}

// DepthFirst checks that a run is in the order reach.DepthFirst. One goroutine at
// a time.
type DepthFirst struct {
	stack offheap.Table[reach.Task] // of running tasks
	depth uint32
}

// Init makes room for maxTasks tasks, one inside the other. The root task runs.
func (d *DepthFirst) Init(maxTasks uint32) {
	d.stack.Init(maxTasks + 1)
	d.depth = 1
	*d.stack.At(1) = root
}

// Running is the task whose turn it is.
func (d *DepthFirst) Running() reach.Task { return *d.stack.At(d.depth) }

// Do takes a construct that a Run has let pass.
func (d *DepthFirst) Do(c *reach.Construct) reach.Refusal {
	if c.Task != d.Running() {
		return reach.Refusal{Why: "the order is not depth-first: another task is running, to its end", Other: d.Running()}
	}
	switch {
	case c.Kind == reach.Block:
		return reach.Refusal{Why: "the order is not depth-first: in it no task has to wait", Other: c.Task}
	case c.Kind == reach.End:
		d.depth--
	case c.Kind.Forks():
		d.depth++
		*d.stack.At(d.depth) = c.Other
	}
	return reach.Refusal{}
}
