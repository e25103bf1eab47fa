//go:build detrace_serial || detrace_parallel

package task

import "context"

// A column is what the executor keeps for each item of a pipeline. Its fields
// belong to the stage that has the item.
type column struct {
	index int
	skip  int32 // the first stage that may run
	dead  bool  // a stage at or before this item panicked
}

func (c *column) col() *column { return c }

// A pipelineRun runs one pipeline on a line of tasks: the caller is the first stage
// and the right end of the line; for each item it forks the task of the second stage,
// which forks that of the third, and so on. The task of a stage joins that of the
// item before, its left neighbour. A stage that is skipped has its task all the
// same: it hands on what it joined.
type pipelineRun struct {
	stageRuns
	ctx    context.Context
	gate   gate
	next   int      // item
	tails  []*latch // by stage: of the last item's task; hidden from detrace
	err    error
	closed bool
}

func (executor) pipeline(ctx context.Context, stages, bound int) *pipelineRun {
	return &pipelineRun{stageRuns: newStageRuns(stages), ctx: ctx, gate: newGate(stages, bound), tails: make([]*latch, stages)}
}

// feed takes an item through all stages. It is false when no more items are wanted.
func (r *pipelineRun) feed(c cell) bool {
	if r.failed.Load() {
		return false
	}
	if r.err = r.gate.enter(r.ctx, r.next); r.err != nil {
		return false
	}
	c.col().index = r.next
	r.next++
	r.cell(c, 0)
	r.fork(c, 1)
	return true
}

// fork starts the task of stage s, or lets the item out that passed the last one.
func (r *pipelineRun) fork(c cell, s int) {
	if s == len(r.stages) {
		r.gate.leave(c.col().index)
		return
	}
	l := new(latch)
	before := r.follow(s, l)
	rt.start(fork, l, func() {
		// After runtime.Goexit in the cell too.
		defer func() {
			r.fork(c, s+1)
			l.end(fork)
		}()
		if before != nil {
			before.wait(fork)
		}
		r.cell(c, s)
	})
}

// follow makes l the last of its stage and returns the one before.
func (r *pipelineRun) follow(s int, l *latch) (before *latch) {
	self := enter()
	before, r.tails[s] = r.tails[s], l
	leave(self)
	return before
}

func (r *pipelineRun) cell(c cell, s int) {
	if !r.enters(s, c.col()) {
		return
	}
	guard(func() { c.run(s) }, func(p *PanicError) {
		if p != nil {
			c.col().dead = true
			r.fail(s, c.col(), p)
		}
	})
}

// close joins the tasks of the last item. A second call does nothing.
func (r *pipelineRun) close() {
	if r.closed {
		return
	}
	r.closed = true
	for s := 1; s < len(r.stages); s++ {
		if last := r.follow(s, nil); last != nil {
			last.wait(fork)
		}
	}
}
