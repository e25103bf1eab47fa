// Package order is the engine of SP order: u precedes v if and only if it is before v
// in two total orders of the strands, the English and the Hebrew one.
//
// Paper: Bender, Fineman, Gilbert, Leiserson, "On-the-fly maintenance of
// series-parallel relationships in fork-join multithreaded programs", SPAA 2004
// (SP-order). Class: series-parallel programs, of spawn/sync and of async/finish, also
// one inside the other as long as they nest. Order: any. Queries: any two strands that
// have started, from any number of goroutines while one tells of constructs.
//
// The two orders are kept in one of two ways, which answer alike: as immutable labels
// (Engine.Init; see package label) or in two order-maintenance lists
// (Engine.InitLists; see package omlist).
//
//	           construct          query               bytes
//	labels     O(1)               O(log depth)        4 a strand, 20 a level
//	lists      O(1) amortised     O(1)                34 a strand, 12 a level
//
// A level is a task, a sync block that has spawned something, or a finish; the depth
// counts those around a strand.
//
// Departures from the paper. Its programs are spawn/sync in a depth-first run; here
// the order of events is any, which changes nothing: where a strand goes in the lists
// depends on the construct that begins it alone. An async's join is the end of the
// finish, wherever it was started: the strand after that is inserted when the finish
// opens, as that after a sync is at the first spawn of its block, and a task has no
// end of its own, so that what its asyncs start needs no rule. Asyncs that nobody
// joins are forked in a level that never ends.
package order

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand precedes which. One goroutine at a time may call Do;
// any number may call Precedes meanwhile, of strands that they learned of through
// something that orders memory. The zero value must be initialised with Init or
// InitLists.
type Engine struct {
	strands offheap.Table[uint32] // level of each, stored last of all about it; 0 before
	closers offheap.Table[uint32] // by level; the goroutine of Do alone
	order   spOrder
}

// A closer says whose end the children forked in a level are joined by: that of a
// finish, by its number, or one of these.
const (
	nobody  = ^uint32(0) - iota // the level never ends
	block                       // a sync block: its sync
	spawned                     // the task's own level: the sync of who spawned it, asyncs or not
)

// Init makes room for so many tasks and strands. The order is kept in labels.
func (e *Engine) Init(maxTasks, maxStrands uint32) { e.init(maxTasks, maxStrands, false) }

// InitLists is Init with the order kept in lists.
func (e *Engine) InitLists(maxTasks, maxStrands uint32) { e.init(maxTasks, maxStrands, true) }

func (e *Engine) init(maxTasks, maxStrands uint32, listed bool) {
	// A level that is no task's begins at a strand that begins no other.
	maxLevels := uint32(min(uint64(maxTasks)+uint64(maxStrands), 1<<31-2))
	e.strands.Init(min(maxStrands, 1<<32-2) + 1)
	e.closers.Init(maxLevels + 1)
	e.order.listed = listed
	root := e.order.init(maxStrands, maxLevels)
	*e.closers.At(root) = nobody
	e.begin(reach.Root, root)
}

// Traits says what the engine is.
func (e *Engine) Traits() reach.Traits {
	if e.order.listed {
		return reach.Traits{Name: "order-lists", Pairs: true}
	}
	return reach.Traits{Name: "order", Pairs: true}
}

// Bytes is the memory in use.
func (e *Engine) Bytes() uint64 {
	return (uint64(e.order.strands)+uint64(e.order.levels()))*uint64(unsafe.Sizeof(uint32(0))) + e.order.bytes()
}

// level is that of a strand, 0 if it has not begun.
func (e *Engine) level(s reach.Strand) uint32 { return offheap.Load32(e.strands.At(s.Index())) }

// begin publishes a strand.
func (e *Engine) begin(s reach.Strand, level uint32) {
	e.order.strands++
	offheap.Store32(e.strands.At(s.Index()), level)
}

// Do tells of the next construct. Cost: O(1), a sync linear in the tasks that it
// joins.
func (e *Engine) Do(c *reach.Construct) reach.Refusal {
	if c.After.Index() >= e.strands.Max() || !e.order.room() {
		return reach.Refusal{Why: "there are more tasks or strands than order was given room for"}
	}
	switch c.Kind {
	case reach.Spawn:
		return e.spawn(c)
	case reach.Sync:
		return e.sync(c)
	case reach.Async:
		return e.async(c)
	case reach.Finish, reach.EndFinish:
		return e.finish(c)
	case reach.End:
		return reach.Refusal{}
	case reach.Create, reach.Get:
		return reach.Refusal{Why: "order takes spawn/sync and async/finish, no futures: sforder takes structured ones, forder all", Other: c.Other}
	case reach.Set, reach.Await, reach.Block:
		return reach.Refusal{Why: "order takes spawn/sync and async/finish, no promises: forder takes them", Other: c.Other}
	}
	return reach.Refusal{Why: "order takes spawn/sync and async/finish, no forks and joins on a line: lattice and forder take them", Other: c.Other}
}

// fork begins a child in a level and the strand that goes on.
func (e *Engine) fork(c *reach.Construct, level, closer uint32) {
	child := e.order.fork(level, c.Before, c.First, c.After)
	*e.closers.At(child) = closer
	e.begin(c.First, child)
	e.begin(c.After, level)
}

func (e *Engine) spawn(c *reach.Construct) reach.Refusal {
	level := e.level(c.Before)
	if *e.closers.At(level) != block {
		level = e.open(c, level, block)
	}
	e.fork(c, level, spawned)
	return reach.Refusal{}
}

func (e *Engine) async(c *reach.Construct) reach.Refusal {
	level := e.level(c.Before)
	closer := *e.closers.At(level)
	if closer != nobody && closer != c.Finish {
		return reach.Refusal{Why: "order takes an async beside or in a spawned task only if a finish ends before that is joined: forder takes it", Other: c.Other}
	}
	e.fork(c, level, closer)
	return reach.Refusal{}
}

// open begins a level that the constructs after c.Before are in.
func (e *Engine) open(c *reach.Construct, outer, closer uint32) (level uint32) {
	level = e.order.open(outer, c.Before)
	*e.closers.At(level) = closer
	return level
}

// end ends a level; its outer one goes on.
func (e *Engine) end(c *reach.Construct, level uint32) {
	e.begin(c.After, e.order.end(level, c.After))
}

func (e *Engine) sync(c *reach.Construct) reach.Refusal {
	level := e.level(c.Before)
	for i := range c.Joined {
		if j := &c.Joined[i]; e.level(j.Continuation) != level {
			return reach.Refusal{Why: "order takes a sync only of what was spawned since the innermost finish began, and the task was before: forder takes it", Other: j.Task}
		}
	}
	e.end(c, level)
	return reach.Refusal{}
}

func (e *Engine) finish(c *reach.Construct) reach.Refusal {
	level := e.level(c.Before)
	if c.Kind == reach.Finish {
		level = e.open(c, level, c.Finish)
		e.order.step(level, c.Before, c.After)
		e.begin(c.After, level)
		return reach.Refusal{}
	}
	if *e.closers.At(level) != c.Finish {
		return reach.Refusal{Why: "order takes the end of a finish only when all that was spawned inside has been joined by a sync: forder takes it"}
	}
	e.end(c, level)
	return reach.Refusal{}
}

// Precedes reports whether u precedes v or is v. Cost: O(1) with lists, O(log depth)
// with labels.
func (e *Engine) Precedes(u, v reach.Strand) bool {
	if u == v {
		return true
	}
	ul, vl := e.level(u), e.level(v)
	return ul != 0 && vl != 0 && e.order.precedes(ul, u.Index(), vl, v.Index())
}
