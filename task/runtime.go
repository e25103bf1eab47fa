//go:build !detrace_serial && !detrace_parallel

package task

import (
	"context"
	"sync"
)

// The executor is the one place where tasks start and wait. This one makes every
// task a goroutine. A serial one can take its place: it must start tasks, keep
// latches and run the cells of pipelines, and is told of each operation to which
// construct it belongs. All calls are direct and cost nothing by themselves.
type executor struct{}

// open begins a finish, which waits for l.
func (executor) open(*latch) {}

// promised makes l that of a promise, which opens it by l.end.
func (executor) promised(l *latch) { l.add() }

// start starts a task whose end l waits for. The task must call l.end last.
func (executor) start(_ construct, l *latch, task func()) {
	l.add()
	go task()
}

// A latch counts what others wait for. The zero latch is open. A WaitGroup, not
// a channel: it needs no memory of its own, and is as certain.
type latch struct{ wg sync.WaitGroup }

func (l *latch) add() { l.wg.Add(1) }

// end is the last thing that is done before the waiting goes on.
func (l *latch) end(construct) { l.wg.Done() }

func (l *latch) wait(construct) { l.wg.Wait() }

// ended returns a channel that is closed when the latch opens. Until then a
// goroutine waits.
func (l *latch) ended(c construct) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		l.wait(c)
		close(ended)
	}()
	return ended
}

// A column is what the executor keeps for each item of a pipeline. Its fields
// belong to the stage that has the item.
type column struct {
	index  int
	next   cell    // the following item, nil at the end
	passed []latch // by stage: it has passed the following item
	few    [3]latch
	skip   int32 // the first stage that may run
	dead   bool  // a stage at or before this item panicked
}

func (c *column) col() *column { return c }

// noItem stands before the first item.
type noItem struct{ column }

func (*noItem) run(int) {}

// A pipelineRun runs one pipeline: a task for each stage, which takes the items
// in order, the first stage in the task of the caller.
type pipelineRun struct {
	stageRuns
	ctx    context.Context
	gate   gate
	last   *column // that was fed
	tasks  latch
	err    error
	closed bool
}

// pipeline starts a pipeline in which at most bound items are between the first
// and the last stage.
func (executor) pipeline(ctx context.Context, stages, bound int) *pipelineRun {
	r := &pipelineRun{stageRuns: newStageRuns(stages), ctx: ctx, gate: newGate(stages, bound)}
	first := new(noItem)
	r.last = r.enter(first, -1)
	for s := 1; s < stages; s++ {
		r.tasks.add()
		go r.stage(s, first)
	}
	return r
}

// enter prepares the column of an item.
func (r *pipelineRun) enter(c cell, index int) *column {
	col := c.col()
	col.index = index
	if between := len(r.stages) - 1; between <= len(col.few) {
		col.passed = col.few[:between]
	} else {
		col.passed = make([]latch, between)
	}
	for s := range col.passed {
		col.passed[s].add()
	}
	return col
}

// stage takes every item after it passed stage s-1.
func (r *pipelineRun) stage(s int, first cell) {
	prev, more := first.col(), true
	// One recover for all cells: one for each would be a fifth of the cost.
	defer func() {
		if more {
			r.fail(s, prev.next.col(), caught(recover()))
		}
		for more {
			prev, more = r.take(s, prev)
		}
		r.tasks.end(fork)
	}()
	for more {
		prev, more = r.take(s, prev)
	}
}

// take runs stage s of the item after prev and passes it on, or the end. If the
// cell does not return, it may be called again after fail.
func (r *pipelineRun) take(s int, prev *column) (item *column, more bool) {
	prev.passed[s-1].wait(fork)
	next := prev.next
	if next != nil && r.enters(s, next.col()) {
		next.run(s)
	}
	if s < len(r.stages)-1 {
		prev.passed[s].end(fork)
	} else if next != nil {
		r.gate.leave(next.col().index)
	}
	if next == nil {
		return nil, false
	}
	return next.col(), true
}

// feed runs the first stage of an item and hands the item on. It is false when no
// more items are wanted.
func (r *pipelineRun) feed(c cell) bool {
	prev := r.last
	index := prev.index + 1
	if r.failed.Load() {
		return false
	}
	if r.err = r.gate.enter(r.ctx, index); r.err != nil {
		return false
	}
	col := r.enter(c, index)
	if r.enters(0, col) {
		guard(func() { c.run(0) }, func(p *PanicError) {
			if p != nil {
				col.dead = true
				r.fail(0, col, p)
			}
		})
	}
	// Not before: after runtime.Goexit in the cell, prev is still the last.
	r.last = col
	if len(r.stages) > 1 {
		prev.next = c
		prev.passed[0].end(fork)
	}
	return true
}

// close ends the pipeline after the last item and waits for all stages. A second
// call does nothing.
func (r *pipelineRun) close() {
	if r.closed {
		return
	}
	r.closed = true
	if len(r.stages) > 1 {
		r.last.passed[0].end(fork)
		r.tasks.wait(fork)
	}
}
