// Package forder is F-Order, the engine of general futures and promises in any order.
//
// Paper: Xu, Singer, Lee, "Parallel determinacy race detection for futures", PPoPP 2020
// (F-Order). Class: every structured program. Order: any. Queries: any two strands
// that have started, from any number of goroutines while one tells of constructs: what
// is published never changes, and a strand is published by one 64-bit store after all
// that it leads to.
//
// Strands of a future, what it spawned and, where that nests, its asyncs among them,
// are ordered by labels (package label): the SP order of that future. Every other edge
// is a non-SP edge. The past of a strand v is a map from futures to antichains in
// their SP orders: all strands that precede v by a path with a non-SP edge are those
// that precede an element of it or are one. So u of F precedes v if it does so in the
// SP order of F, where v is of F too, or precedes an element of F in the past of v in
// that order, or is one.
//
// Costs, with p elements in a past: spawn, async, finish, set O(1); a create
// O(log p · log depth); a get or await that brings nothing new a query, otherwise a
// union of pasts, for which equal parts are not looked into: O(log p · log depth) for
// each element that only one has. A sync or the end of a finish: n comparisons of
// pointers for n tasks, and unions where they differ. A query O(log p · log depth). 8
// bytes a strand, 24 a task, block or finish, 16 an element of a past that is not
// shared, with O(log p) copies on the way to it. Dear are grids of promises among
// asyncs of one future: each past is an antichain as large as what is above and left
// in the grid, and two neighbours' pasts differ in a row and a column.
//
// Departures from the paper, which has no promises and no finishes, and hash tables
// copied as a whole. A past is one immutable search tree over all its elements,
// ordered by future and, within one, in the English order: by that an antichain is in
// reverse Hebrew order, and the first element that is not before u in the English
// order is preceded by u if any is. It is a treap whose priorities are a hash of the
// strand, so that equal sets have equal trees and parts of them are shared. What a
// strand's past says of its own future and the SP order implies may be left out.
//
// Sets of promises are sources of edges like the ends of futures. An async is in the
// SP order of who starts it if the end of the level that it is forked in is the end of
// its finish; if not (it is in a spawned task, or beside one, and outlives the sync)
// it is a future that the finish gets, which is always right but needs an edge. So is
// a task of a line, which the join gets. A finish or sync that does not nest ends no
// level and has edges instead.
package forder

import (
	"unsafe"

	"github.com/detrace/detrace/internal/label"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand precedes which. One goroutine at a time may call Do;
// any number may call Precedes meanwhile, of strands that they learned of through
// something that orders memory. The zero value must be initialised with Init.
type Engine struct {
	strands offheap.Table[uint64] // level<<32 | past, stored last of all about a strand; 0 before
	levels  offheap.Table[level]
	labels  label.Forest // a tree for each future
	pasts   offheap.Table[element]

	strandCount, futureCount, elementCount uint32

	mark uint32 // elements made before the construct
}

// level is a task, a sync block that has spawned something, or a finish.
type level struct {
	future uint32
	closer uint32 // of the goroutine of Do alone
}

// A closer says whose end the children forked in a level are joined by: that of a
// finish, by its number, or one of these.
const (
	nobody  = ^uint32(0) - iota // the level never ends
	block                       // a sync block: its sync
	spawned                     // the task's own level: the sync of who spawned it, asyncs or not
)

// Init makes room for so many tasks and strands, and for pasts of all but odd programs.
func (e *Engine) Init(maxTasks, maxStrands uint32) {
	// A level that is no task's begins at a strand that begins no other.
	maxLevels := uint32(min(uint64(maxTasks)+uint64(maxStrands), 1<<31-2))
	e.strands.Init(min(maxStrands, 1<<32-2) + 1)
	e.levels.Init(maxLevels + 1)
	e.labels.Init(maxLevels)
	e.pasts.Init(uint32(min(4096*uint64(maxTasks)+4096, 1<<32-2)))
	e.begin(reach.Root, e.newFuture(), 0)
}

// Traits says what the engine is.
func (e *Engine) Traits() reach.Traits { return reach.Traits{Name: "forder", Pairs: true} }

// Bytes is the memory in use.
func (e *Engine) Bytes() uint64 {
	return uint64(e.strandCount)*8 + uint64(e.labels.Levels())*uint64(unsafe.Sizeof(level{})) +
		e.labels.Bytes() + uint64(e.elementCount)*uint64(unsafe.Sizeof(element{}))
}

// strand is the level of a strand, 0 if it has not begun, and its past.
func (e *Engine) strand(s reach.Strand) (level, past uint32) {
	w := offheap.Load64(e.strands.At(s.Index()))
	return uint32(w >> 32), uint32(w)
}

// place is a strand and where it is ordered.
type place struct{ future, level, strand uint32 }

func (e *Engine) place(level, strand uint32) place {
	return place{future: e.levels.At(level).future, level: level, strand: strand}
}

// begin publishes a strand.
func (e *Engine) begin(s reach.Strand, level, past uint32) {
	e.strandCount++
	offheap.Store64(e.strands.At(s.Index()), uint64(level)<<32|uint64(past))
}

// newFuture returns the level that a new future begins in.
func (e *Engine) newFuture() uint32 {
	e.futureCount++
	root := e.labels.Root()
	*e.levels.At(root) = level{future: e.futureCount, closer: nobody}
	return root
}

// Do tells of the next construct.
func (e *Engine) Do(c *reach.Construct) reach.Refusal {
	if c.After.Index() >= e.strands.Max() || !e.labels.Room(2) {
		return reach.Refusal{Why: "there are more tasks or strands than forder was given room for"}
	}
	e.mark = e.elementCount
	at, past := e.strand(c.Before)
	switch c.Kind {
	case reach.Spawn:
		if e.levels.At(at).closer != block {
			at = e.open(c, at, block)
		}
		e.fork(c, at, past, spawned)
	case reach.Async:
		if closer := e.levels.At(at).closer; closer == nobody || closer == c.Finish {
			e.fork(c, at, past, closer)
			break
		}
		return e.create(c, at, past)
	case reach.Create, reach.Fork:
		return e.create(c, at, past)
	case reach.Sync:
		return e.join(c, at, past, block)
	case reach.EndFinish:
		return e.join(c, at, past, c.Finish)
	case reach.Finish:
		e.begin(c.After, e.open(c, at, c.Finish), past)
	case reach.Set:
		e.begin(c.After, at, past)
	case reach.Get, reach.Await, reach.Join:
		now := e.place(at, c.Before.Index())
		past = e.forget(e.learn(past, now, c.Source), now)
		return e.after(c, at, past)
	}
	return reach.Refusal{}
}

// after begins the strand after a construct whose past has been made.
func (e *Engine) after(c *reach.Construct, at, past uint32) reach.Refusal {
	if e.overflow() {
		return e.pastsFull()
	}
	e.settle(past)
	e.begin(c.After, at, past)
	return reach.Refusal{}
}

// fork begins a child in the SP order and the strand that goes on.
func (e *Engine) fork(c *reach.Construct, at, past, closer uint32) {
	child := e.labels.Child(at, c.Before.Index())
	*e.levels.At(child) = level{future: e.levels.At(at).future, closer: closer}
	e.begin(c.First, child, past)
	e.begin(c.After, at, past)
}

// create begins a future and the strand that goes on.
func (e *Engine) create(c *reach.Construct, at, past uint32) reach.Refusal {
	inherited := e.add(past, e.place(at, c.Before.Index()))
	if e.overflow() {
		return e.pastsFull()
	}
	e.begin(c.First, e.newFuture(), inherited)
	e.begin(c.After, at, past)
	return reach.Refusal{}
}

// open begins a level that the constructs after c.Before are in.
func (e *Engine) open(c *reach.Construct, outer, closer uint32) uint32 {
	scope := e.labels.Scope(outer, c.Before.Index())
	*e.levels.At(scope) = level{future: e.levels.At(outer).future, closer: closer}
	return scope
}

// join begins the strand after a sync or finish. If the current level is its own,
// that ends, and the tasks forked under it are joined in the SP order; the others are
// sources of edges.
func (e *Engine) join(c *reach.Construct, at, past, closer uint32) reach.Refusal {
	now := e.place(at, c.Before.Index())
	ends := e.levels.At(at).closer == closer
	for i := 0; i < len(c.Joined) && !e.overflow(); i++ {
		j := &c.Joined[i]
		if ends && e.under(at, j) {
			_, of := e.strand(j.Last)
			past = e.union(past, of)
		} else {
			past = e.learn(past, now, j.Last)
		}
		e.settle(past)
	}
	if ends {
		at = e.labels.Outer(at)
	}
	return e.after(c, at, past)
}

// under reports whether a task that the construct joins was forked under the level
// that ends.
func (e *Engine) under(at uint32, j *reach.Joined) bool {
	first, _ := e.strand(j.First)
	if e.levels.At(at).closer == block {
		return e.labels.Outer(first) == at
	}
	return e.levels.At(first).future == e.levels.At(at).future
}

// learn is a past with all that precedes the end of strand x. now is who learns, and
// what precedes that in the SP order is not added.
func (e *Engine) learn(past uint32, now place, x reach.Strand) uint32 {
	level, of := e.strand(x)
	source := e.place(level, x.Index())
	if e.follows(past, now, source) {
		return past
	}
	return e.add(e.union(past, of), source)
}

// follows reports whether u precedes a strand with the given place and past.
func (e *Engine) follows(past uint32, v, u place) bool {
	return u.future == v.future && e.precedes(u, v) || e.has(past, u)
}

// precedes is the SP order of a future, of two of its strands.
func (e *Engine) precedes(u, v place) bool {
	return e.labels.Meet(u.level, u.strand, v.level, v.strand).Precedes()
}

// Precedes reports whether u precedes v or is v. Cost: O(log depth) within a future if
// the SP order says so; otherwise O(log p · log depth), where p is the number of
// elements of v's past.
func (e *Engine) Precedes(u, v reach.Strand) bool {
	if u == v {
		return true
	}
	ul, _ := e.strand(u)
	vl, past := e.strand(v)
	return ul != 0 && vl != 0 && e.follows(past, e.place(vl, v.Index()), e.place(ul, u.Index()))
}
