package tp3

import (
	"context"
	"fmt"
	"slices"
)

// Event is an event of a run, as a trace has it: control events and accesses
// in the order in which they happen. Ids are dense: tasks from 0, the root,
// promises from 0.
type Event struct {
	Kind    EventKind
	Task    int
	Child   int    // of Async
	Promise int    // of the events of promises
	Addr    uint64 // of Read, Write and Alloc: one cell of Size bytes for each location
	Size    uint64
	Pos     Pos // of the statement; of End, of the return, zero when it was left out
}

// EventKind is the kind of an [Event].
type EventKind uint8

const (
	EventAsync   EventKind = iota + 1 // Task creates Child
	EventPromise                      // Task creates Promise
	EventSet                          // Task sets Promise
	EventBlock                        // Task stops at a get of Promise
	EventAwait                        // Task gets Promise, which is set
	EventEnd                          // Task ends
	EventRead
	EventWrite
	EventAlloc
)

// String is the name of the kind in the text trace.
func (k EventKind) String() string {
	return [...]string{"none", "async", "promise", "set", "block", "await", "end", "read", "write", "alloc"}[k]
}

// Sink gets the events of a run. An error ends the run.
type Sink interface{ Event(Event) error }

// cellBase and cellSize place the locations in the address space of events.
const (
	cellBase = 0x1000
	cellSize = 8
)

// Limits bounds the work on a program, which may run for ever. Zero fields
// mean the defaults.
type Limits struct {
	// RunSteps is the most steps of one run. Default: 100,000.
	RunSteps int
	// Steps is the most steps of an exploration: those made, those of each run
	// once more when its end is recorded, and those gone through to find out
	// which task to try next. Default: 1,000,000.
	Steps int
	// Ideals is the most sets of steps for which an exploration counts the
	// schedules. Default: 100,000.
	Ideals int
}

func (l Limits) withDefaults() Limits {
	if l.RunSteps == 0 {
		l.RunSteps = 100_000
	}
	if l.Steps == 0 {
		l.Steps = 1_000_000
	}
	if l.Ideals == 0 {
		l.Ideals = 100_000
	}
	return l
}

// Outcome is what one run came to.
type Outcome struct {
	Steps   int
	Cut     bool      // stopped by Limits.RunSteps: nothing is certain of the rest
	Memory  Memory    // at the end, wherever that was
	Blocked []Blocked // of a deadlock
	Failure *Failure  // of the task that stopped the run
	Races   []Race
	Graph   *Graph
}

// Run makes one run, under the scheduling rule of DRDP: a stack of running
// tasks, of which the top one runs. A created task is pushed; a set pushes the
// tasks that it wakes, the first to have blocked on top; a task that ends or
// blocks is popped. The first failing statement stops the run.
//
// sink may be nil. The error is the sink's, or ctx's.
// Cost: that of [Program.Explore] for one schedule.
func (p *Program) Run(ctx context.Context, limits Limits, sink Sink) (*Outcome, error) {
	c := newConfig(p)
	r := &runner{c: c, order: newOrder(c), sink: sink, stack: []int32{0}}
	err := r.run(ctx, limits.withDefaults().RunSteps)
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", p.name, err)
	}
	out := &Outcome{
		Steps: len(r.steps), Cut: r.cut, Memory: c.memory(), Failure: r.failure,
		Races: r.order.sorted(), Graph: newGraph(c, r.steps),
	}
	if !out.Cut && out.Failure == nil {
		out.Blocked = c.blocked()
	}
	out.Graph.mark(out.Races)
	return out, nil
}

// runner is one run under the scheduling rule.
type runner struct {
	c       *config
	order   *order
	sink    Sink
	stack   []int32
	waiters [][]int32 // per promise, the first to have blocked first
	steps   []step
	failure *Failure
	cut     bool
}

// run ends when the stack is empty: all tasks have ended or are blocked.
func (r *runner) run(ctx context.Context, limit int) error {
	for len(r.stack) > 0 && r.failure == nil {
		if len(r.steps)%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := r.stack[len(r.stack)-1]
		pc := r.c.tasks[t].pc
		if r.c.ended(t) {
			r.stack = r.stack[:len(r.stack)-1]
			var pos Pos
			if pc != end {
				pos = r.c.prog.code[pc].pos
			}
			if err := r.emit(Event{Kind: EventEnd, Task: int(t), Pos: pos}); err != nil {
				return err
			}
			continue
		}
		if promise, waits := r.c.waits(t); waits {
			r.stack = r.stack[:len(r.stack)-1]
			r.waiters[promise] = append(r.waiters[promise], t)
			if err := r.emit(Event{Kind: EventBlock, Task: int(t), Promise: int(promise), Pos: r.c.prog.code[pc].pos}); err != nil {
				return err
			}
			continue
		}
		if len(r.steps) == limit {
			r.cut = true
			return nil
		}
		if err := r.step(t); err != nil {
			return err
		}
	}
	return nil
}

// step makes a step of the top task and tells of it.
func (r *runner) step(t int32) error {
	st, _ := r.c.step(t)
	r.order.step(st)
	r.steps = append(r.steps, st)
	if st.failed {
		r.failure = r.c.tasks[t].failure
		return nil
	}
	s := &r.c.prog.code[st.pc]
	e := Event{Task: int(t), Pos: s.pos}
	switch s.op {
	case opAsync:
		r.stack = append(r.stack, st.object)
		e.Kind, e.Child = EventAsync, int(st.object)
	case opNewPromise:
		r.waiters = append(r.waiters, nil)
		e.Kind, e.Promise = EventPromise, int(st.object)
	case opSet:
		woken := r.waiters[st.object]
		r.waiters[st.object] = nil
		slices.Reverse(woken)
		r.stack = append(r.stack, woken...)
		e.Kind, e.Promise = EventSet, int(st.object)
	case opGet:
		e.Kind, e.Promise = EventAwait, int(st.object)
	case opAlloc:
		e.Kind = EventAlloc
	case opStore:
		e.Kind = EventWrite
	case opLoad, opWhile:
		e.Kind = EventRead
	default:
		return nil
	}
	if e.Kind >= EventRead {
		e.Addr, e.Size = cellBase+cellSize*uint64(st.object), cellSize
	}
	return r.emit(e)
}

func (r *runner) emit(e Event) error {
	if r.sink == nil {
		return nil
	}
	return r.sink.Event(e)
}
