// Package sforder is SF-Order, the engine of structured futures in any order.
//
// Paper: Xu, Agrawal, Lee, "Efficient parallel determinacy race detection for
// structured futures", SPAA 2021. Class: spawn/sync, and futures that are got at most
// once, by a strand that follows the create's continuation. Order: any. Queries: any
// two strands that have started, from any number of goroutines while one tells of
// constructs: what is published never changes, and a strand is published by one
// 64-bit store after all that it leads to.
//
// u of future F precedes v of future G: if F is G or one of its ancestors, when it
// does so in the pseudo-SP-dag, in which a create is a spawn and a get a step; else
// when F is in gp(v), the futures whose last strands precede v (lemmas 3.4, 3.7, 3.8
// and 3.9).
//
// Costs, with k futures: spawn, create O(1); a sync of n tasks n comparisons of
// pointers, and where no set of gp includes the other a union, O(k/512) at most; a get
// one union. A query O(log depth), and O(log k) in gp. 8 bytes a strand, 20 a task or
// sync block, 8 a future, and for each get and each sync that needs a union the part
// of the set that is new, 64 bytes for each 512 futures touched and the path to them.
//
// Departures from the paper. The pseudo-SP-dag is kept in the labels of package label
// instead of lists. A sync joins in it what was created since the first spawn of its
// block too, or else it would not be series-parallel; gp at the sync leaves the
// created ones out. cp(G) is not stored: F is G's ancestor if and only if the
// innermost level around u and v in the pseudo-SP-dag, which the comparison of their
// labels finds anyway, is inside F. gp is a tree of words that shares what is equal
// instead of a flat array of bits, because k sets of k bits are too much for k = 10^5.
package sforder

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/label"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand precedes which. One goroutine at a time may call Do;
// any number may call Precedes meanwhile, of strands that they learned of through
// something that orders memory. The zero value must be initialised with Init.
type Engine struct {
	strands offheap.Table[uint64] // level<<32 | gp, stored last of all about a strand; 0 before
	levels  offheap.Table[level]
	futures offheap.Table[future]
	pseudo  label.Forest // the pseudo-SP-dag
	sets    sets         // of futures

	strandCount, futureCount uint32
}

// level is a level of the pseudo-SP-dag: that of a task, or a sync block in one.
type level uint32

// isBlock is the bit of a level that says so; the others are its future, 0 for what
// belongs to the root task.
const isBlock = 1 << 31

func (l level) future() uint32 { return uint32(l) &^ isBlock }

// future is known by its number, from 1 in order of creation.
type future struct {
	level   uint32 // its outermost one
	follows uint32 // the strand after the create; with isGot once it has been got
}

const isGot = 1 << 31

// Init makes room for so many tasks and strands.
func (e *Engine) Init(maxTasks, maxStrands uint32) {
	// A block begins at a strand that begins no other.
	maxLevels := uint32(min(uint64(maxTasks)+uint64(maxStrands), 1<<31-2))
	e.strands.Init(min(maxStrands, isGot-2) + 1)
	e.levels.Init(maxLevels + 1)
	e.futures.Init(min(maxTasks, isBlock-2) + 1)
	e.pseudo.Init(maxLevels)
	e.sets.init(maxTasks)
	root := e.pseudo.Root()
	*e.futures.At(0) = future{level: root}
	e.begin(reach.Root, root, 0)
}

// Traits says what the engine is.
func (e *Engine) Traits() reach.Traits { return reach.Traits{Name: "sforder", Pairs: true} }

// Bytes is the memory in use.
func (e *Engine) Bytes() uint64 {
	return uint64(e.strandCount)*8 + uint64(e.pseudo.Levels())*uint64(unsafe.Sizeof(level(0))) +
		uint64(e.futureCount+1)*uint64(unsafe.Sizeof(future{})) + e.pseudo.Bytes() + e.sets.bytes()
}

// Sets is the number of pieces of sets of futures, of 64 bytes each.
func (e *Engine) Sets() uint32 { return e.sets.count }

// strand is the level of a strand, 0 if it has not begun, and its gp.
func (e *Engine) strand(s reach.Strand) (level uint32, gp set) {
	w := offheap.Load64(e.strands.At(s.Index()))
	return uint32(w >> 32), set(w)
}

// begin publishes a strand.
func (e *Engine) begin(s reach.Strand, level uint32, gp set) {
	e.strandCount++
	offheap.Store64(e.strands.At(s.Index()), uint64(level)<<32|uint64(gp))
}

// Do tells of the next construct.
func (e *Engine) Do(c *reach.Construct) reach.Refusal {
	if c.After.Index() >= e.strands.Max() || !e.pseudo.Room(2) {
		return reach.Refusal{Why: "there are more tasks or strands than sforder was given room for"}
	}
	switch c.Kind {
	case reach.Spawn:
		e.spawn(c)
		return reach.Refusal{}
	case reach.Create:
		return e.create(c)
	case reach.Sync:
		return e.sync(c)
	case reach.Get:
		return e.get(c)
	case reach.End:
		return reach.Refusal{}
	case reach.Async, reach.Finish, reach.EndFinish:
		return reach.Refusal{Why: "sforder takes spawn, sync and futures, no async and finish: order and forder take them", Other: c.Other}
	case reach.Set, reach.Await, reach.Block:
		return reach.Refusal{Why: "sforder takes spawn, sync and futures, no promises: forder takes them", Other: c.Other}
	}
	return reach.Refusal{Why: "sforder takes spawn, sync and futures, no forks and joins on a line: lattice and forder take them", Other: c.Other}
}

// fork begins a child of a future in a level, and the strand that goes on.
func (e *Engine) fork(c *reach.Construct, at, future uint32, gp set) (child uint32) {
	child = e.pseudo.Child(at, c.Before.Index())
	*e.levels.At(child) = level(future)
	e.begin(c.First, child, gp)
	e.begin(c.After, at, gp)
	return child
}

func (e *Engine) spawn(c *reach.Construct) {
	at, gp := e.strand(c.Before)
	l := *e.levels.At(at)
	if l&isBlock == 0 {
		at = e.pseudo.Scope(at, c.Before.Index())
		*e.levels.At(at) = l | isBlock
	}
	e.fork(c, at, l.future(), gp)
}

func (e *Engine) create(c *reach.Construct) reach.Refusal {
	if e.futureCount+1 >= e.futures.Max() {
		return reach.Refusal{Why: "there are more futures than sforder was given room for"}
	}
	e.futureCount++
	at, gp := e.strand(c.Before)
	f := e.futures.At(e.futureCount)
	f.follows = c.After.Index()
	f.level = e.pseudo.Levels() + 1 // before the strand is published
	child := e.fork(c, at, e.futureCount, gp)
	invariants.Assert(child == f.level, "sforder: a level has another number than was foreseen")
	return reach.Refusal{}
}

func (e *Engine) sync(c *reach.Construct) reach.Refusal {
	at, gp := e.strand(c.Before)
	mark := e.sets.count
	for i := 0; i < len(c.Joined) && !e.sets.overflow(); i++ {
		_, of := e.strand(c.Joined[i].Last)
		gp = e.sets.union(gp, of)
	}
	if e.sets.overflow() {
		return e.setsFull(mark)
	}
	e.begin(c.After, e.pseudo.Outer(at), gp)
	return reach.Refusal{}
}

// setsFull forgets the sets that were made since the mark.
func (e *Engine) setsFull(mark uint32) reach.Refusal {
	e.sets.forget(mark)
	return reach.Refusal{Why: "sforder has no room for another set of joined futures"}
}

func (e *Engine) get(c *reach.Construct) reach.Refusal {
	at, gp := e.strand(c.Before)
	source, of := e.strand(c.Source)
	id := e.levels.At(source).future()
	f := e.futures.At(id)
	if f.follows&isGot != 0 {
		return reach.Refusal{Why: "sforder takes one get for each create, and this future was got before: forder takes any number", Other: c.Other}
	}
	follows, _ := e.strand(reach.Strand(f.follows))
	if f.follows != c.Before.Index() && !e.ordered(follows, f.follows, at, c.Before.Index(), gp) {
		return reach.Refusal{Why: "sforder takes a get only after what follows the create, and that is parallel to this get, so the future's handle races: forder takes it", Other: c.Other}
	}
	mark := e.sets.count
	gp = e.sets.with(e.sets.union(gp, of), id)
	if e.sets.overflow() {
		return e.setsFull(mark)
	}
	f.follows |= isGot
	e.begin(c.After, at, gp)
	return reach.Refusal{}
}

// Precedes reports whether u precedes v or is v. Cost: O(log depth), and O(log k) in
// gp(v).
func (e *Engine) Precedes(u, v reach.Strand) bool {
	if u == v {
		return true
	}
	ul, _ := e.strand(u)
	vl, gp := e.strand(v)
	return ul != 0 && vl != 0 && e.ordered(ul, u.Index(), vl, v.Index(), gp)
}

// ordered compares two different strands, each given by its level and number; gp is
// the second one's. That is asked first, because no strand has its own future or an
// ancestor of it in there.
func (e *Engine) ordered(ul, u, vl, v uint32, gp set) bool {
	f := e.levels.At(ul).future()
	if e.sets.has(gp, f) {
		return true
	}
	m := e.pseudo.Meet(ul, u, vl, v)
	return m.Precedes() && e.pseudo.Depth(m.Level) >= e.pseudo.Depth(e.futures.At(f).level)
}
