// Package jointree is the reachability engine of native execution: goroutine
// programs in any order of execution, with arbitrary release and acquire.
//
// The algorithm is the project's own (the join tree). Fork edges make the
// strands a forest, and every strand has one tree predecessor. A join adds a
// link: the fact that all strands of a task up to a position reach a strand of
// one of its proper ancestors. Tree and links answer nested fork-join
// completely. What they do not imply is in the front of a strand: an immutable
// array, sorted in depth-first order, of strands that reach it. A program of
// nested forks and joins has no fronts at all. Links are optional facts:
// whether one is recorded or refused changes costs, never answers. Long fronts
// share most of their elements, see trunk.go; short ones of siblings are merged like
// vector clocks, see family.go; of siblings that wait for one another, one stands for
// many, see chain.go.
//
// Class: every program. Order: events in any order in which they could happen;
// queries about any two strands that have started. Costs: fork and release
// O(1); a join of n children n near-constant steps; a query O(log depth) and,
// only when there is a front, a few binary searches in it. An acquire whose
// front includes the task's own, as those of a lock do, costs a delta of a few
// strands and, amortised, the logarithm of the front's length; an acquire of
// any two fronts the lengths of what they do not share. A task takes 72 bytes, 24 more once there are chains, a front
// eight per strand it does not share.
//
// Departures from plain vector-clock rules: an acquire that teaches the task
// nothing starts no strand, because the strands before and after it would have
// the same predecessors and, nothing having left the task in between, the same
// successors.
//
// The package has two homes, see internal/offheap: all state is off-heap and
// addressed by uint32 ids, nothing allocates.
package jointree

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand precedes which.
//
// Different tasks may call concurrently. The calls for one task must not
// overlap but may come from different threads one after the other; those for
// one object may overlap, except [Engine.FreeObject]. Queries take no lock;
// whoever asks about a strand must have learned of it through something that
// orders memory. [Engine.BeginMark], [Engine.Mark] and [Engine.Sweep] need
// every other caller stopped. The zero value must be initialised with
// [Engine.Init].
type Engine struct {
	tasks   offheap.Table[task]
	keys    offheap.Table[uint64] // by task, see key.go
	chains  offheap.Table[chain]  // by task, see chain.go
	objects offheap.Table[object]
	nodes   offheap.Table[node]
	blocks  arena

	taskIDs   ids
	objectIDs ids
	nodeIDs   ids

	scratch [scratches]scratch

	// Folding keeps objects small: it happens when an object has more nodes
	// than this. A join wants its nodes as they are, so those who release let
	// more of them come together than those who acquire.
	foldAtAcquire, foldAtRelease uint32

	maxKey    uint32 // bits of longer ways are left out of keys
	maxPlain  uint32 // longer fronts have a trunk
	maxDelta  uint32 // of those, longer deltas become a run
	growth    uint32 // of runs
	chainFrom uint32 // tasks with longer fronts have successors before they end
	lines     uint32 // atomic; lines of versions begun

	sole      uint32 // atomic; see SetSole
	chained   uint32 // atomic; 1 once there was a chain
	exhausted uint32 // atomic; 1 once a fact was lost
	marking   bool
	reclaims  bool // the sweep finds a task that nobody needs
}

// task is one goroutine's record. Only child to parent pointers, so that
// what nobody can ask about any more can be freed. Its size is one cache line.
type task struct {
	parent, fork uint32 // the strand that forked it; immutable like the next two
	depth, jump  uint32 // jump: an ancestor, skew-binary
	first        link   // valid once has is set
	has          uint32 // atomic
	more         uint32 // atomic: block of the links after the first, 0 none
	up           uint32 // atomic: an ancestor that find may go on from, 0 unknown
	lock         offheap.Lock
	state        uint32 // atomic while the world runs
	user         uint32
	serial       uint32
	current      uint64 // atomic: front<<32 | index of the current strand; whoever reads that of another task may be late
}

const (
	stateUsed = 1 << iota
	stateEnded
	stateMarked
	stateSucceeds // another task in a chain; set by the task itself
	stateFresh    // has not forked or released yet; of the task itself
)

// link is the fact that every strand of its task up to index upTo reaches
// strand at of task to, a proper ancestor.
type link struct{ upTo, to, at uint32 }

// rootTask is the id of the root task.
const rootTask = 1

// Init reserves address space for maxTasks tasks alive at one time and for
// objects and fronts in proportion, and starts the root task. Memory is used
// as far as touched.
func (e *Engine) Init(maxTasks uint32) {
	invariants.Assert(maxTasks > 0 && maxTasks <= 1<<28, "jointree: bad maximum of tasks")
	e.tasks.Init(maxTasks + 1)
	e.keys.Init(maxTasks + 1)
	e.chains.Init(maxTasks + 1)
	e.taskIDs.init(maxTasks)
	objects := 4*maxTasks + 1024
	e.objects.Init(objects + 1)
	e.objectIDs.init(objects)
	e.nodes.Init(objects + 1)
	e.nodeIDs.init(objects)
	e.blocks.init(maxTasks)
	for i := range e.scratch {
		e.scratch[i].init(maxTasks)
	}
	e.foldAtAcquire, e.foldAtRelease = 16, 256
	e.maxKey, e.maxPlain, e.maxDelta, e.growth = maxKey, maxPlain, maxDelta, growth
	e.chainFrom, e.lines = familyFront, 0
	e.chained, e.exhausted, e.marking = 0, 0, false
	id, serial := e.taskIDs.get()
	*e.task(id) = task{jump: id, serial: serial, state: stateUsed}
}

func (e *Engine) task(id uint32) *task { return e.tasks.At(id) }

// Root is the task that runs first.
func (e *Engine) Root() reach.Task { return rootTask }

// Fork starts a child of parent at the end of parent's current strand and
// begins parent's next. It must be called before the child can run. 0 means
// that the table of tasks is full; then nothing has changed. Cost: O(1).
func (e *Engine) Fork(parent reach.Task) reach.Task {
	id, serial := e.taskIDs.get()
	if id == 0 {
		return 0
	}
	e.forked(parent, id, serial)
	return reach.Task(id)
}

// forkAs is Fork of a task whose number was given by another engine.
func (e *Engine) forkAs(parent reach.Task, id uint32) {
	e.taskIDs.reach(id)
	e.forked(parent, id, 0)
}

// forked makes the record of task id, which parent forks.
func (e *Engine) forked(parent reach.Task, id, serial uint32) {
	p, c := e.task(uint32(parent)), e.task(id)
	c.parent, c.fork = uint32(parent), uint32(p.current)
	c.depth, c.jump = p.depth+1, uint32(parent)
	if j := e.task(p.jump); p.depth-j.depth == j.depth-e.task(j.jump).depth {
		c.jump = j.jump
	}
	c.user, c.serial = 0, serial
	offheap.Release32(&c.has, 0)
	offheap.Release32(&c.more, 0)
	offheap.Release32(&c.up, 0)
	offheap.Release64(&c.current, p.current&^0xffffffff)
	offheap.Release32(&c.state, stateUsed|stateFresh)
	e.setKey(id)
	if e.Sole() == parent {
		e.SetSole(0)
	}
	advance(p)
}

// advance begins the next strand of a task with the front unchanged.
func advance(r *task) {
	invariants.Assert(uint32(r.current) != ^uint32(0), "jointree: more than 2^32 strands in a task")
	offheap.Release64(&r.current, r.current+1)
	r.acted()
}

// fresh reports whether nobody can have learned of r, but by AcquireAll.
func (r *task) fresh() bool { return offheap.Load32(&r.state)&stateFresh != 0 }

// acted says that r is not fresh any more.
func (r *task) acted() {
	if r.state&stateFresh != 0 {
		offheap.Release32(&r.state, r.state&^stateFresh)
	}
}

// SetIndex begins t's next strand at position index, which must not be below that of
// the current one: positions only have to grow.
func (e *Engine) SetIndex(t reach.Task, index uint32) {
	r := e.task(uint32(t))
	invariants.Assert(index >= uint32(r.current), "jointree: positions must grow")
	offheap.Release64(&r.current, r.current&^0xffffffff|uint64(index))
}

// Rewind makes the strand at position index, after which t only forked, current again. In
// the current one nothing happened, and nobody has learned of it: a release then names
// a strand that tree edges place before the child.
func (e *Engine) Rewind(t reach.Task, index uint32) {
	r := e.task(uint32(t))
	invariants.Assert(index <= uint32(r.current), "jointree: a strand to come back to that has not begun")
	offheap.Release64(&r.current, r.current&^0xffffffff|uint64(index))
}

// End says that t runs no more. Its strands can still be asked about.
func (e *Engine) End(t reach.Task) {
	r := e.task(uint32(t))
	offheap.Release32(&r.state, r.state|stateEnded)
}

// Strand is the current strand of t. Cost: one load.
func (e *Engine) Strand(t reach.Task) reach.Strand {
	return reach.StrandOf(t, uint32(e.tasks.At(uint32(t)).current))
}

// Parent is the task that forked t and the index of the strand that did it;
// 0, 0 for the root.
func (e *Engine) Parent(t reach.Task) (parent reach.Task, forkIndex uint32) {
	r := e.task(uint32(t))
	return reach.Task(r.parent), r.fork
}

// Serial is the position of t among all tasks ever created, from 1 for the
// root; unlike the id it is never given to another task.
func (e *Engine) Serial(t reach.Task) uint32 { return e.task(uint32(t)).serial }

// ForkStack is the word set with SetForkStack, 0 before.
func (e *Engine) ForkStack(t reach.Task) uint32 { return e.task(uint32(t)).user }

// SetForkStack stores a word of the caller's with t. The calls count as calls
// for t.
func (e *Engine) SetForkStack(t reach.Task, stack uint32) { e.task(uint32(t)).user = stack }

// Handle is a strand with what is needed to ask about it when it is no longer
// current. It is good until the next [Engine.Sweep].
type Handle struct {
	Task  reach.Task
	Index uint32
	Front uint32
}

// Current is the handle of t's current strand.
func (e *Engine) Current(t reach.Task) Handle {
	c := e.task(uint32(t)).current
	return Handle{Task: t, Index: uint32(c), Front: uint32(c >> 32)}
}

// Precedes reports whether u precedes the current strand of t or is it. u may
// be any strand that has started and whose task has not been reclaimed. An
// ended t has its last strand as current until the next [Engine.Sweep].
func (e *Engine) Precedes(u reach.Strand, t reach.Task) bool {
	if u.Task() == t {
		return u.Index() <= uint32(e.tasks.At(uint32(t)).current)
	}
	return e.precedes(u, e.Current(t))
}

// PrecedesStrand reports whether u precedes v or is it; both have started.
func (e *Engine) PrecedesStrand(u reach.Strand, v Handle) bool {
	if u.Task() == v.Task {
		return u.Index() <= v.Index
	}
	return e.precedes(u, v)
}

func (e *Engine) precedes(u reach.Strand, v Handle) bool {
	c, i := uint32(u.Task()), u.Index()
	return e.implied(c, i, uint32(v.Task), v.Index) || v.Front != 0 && e.inFront(v.Front, c, i)
}

// Exhausted reports whether a table was full when a fact had to be recorded.
// From then on Precedes may answer no where yes is right, never the reverse.
func (e *Engine) Exhausted() bool { return offheap.Load32(&e.exhausted) != 0 }

// Live counts what is in use: tasks not yet reclaimed (ended or not), objects,
// and fronts and link arrays together.
func (e *Engine) Live() (tasks, objects, blocks uint32) {
	return e.taskIDs.inUse(), e.objectIDs.inUse(), e.blocks.used()
}

// Bytes is the memory in use by the records that Live counts and their parts.
// It grows until [Engine.Sweep].
func (e *Engine) Bytes() uint64 {
	perTask := uint64(unsafe.Sizeof(task{}) + unsafe.Sizeof(key(0)))
	if offheap.Load32(&e.chained) != 0 {
		perTask += uint64(unsafe.Sizeof(chain{}))
	}
	return uint64(e.taskIDs.inUse())*perTask +
		uint64(e.objectIDs.inUse())*uint64(unsafe.Sizeof(object{})) +
		uint64(e.nodeIDs.inUse())*uint64(unsafe.Sizeof(node{})) +
		e.blocks.bytes()
}

// Started is the number of tasks ever created, the root among them.
func (e *Engine) Started() uint32 { return offheap.Load32(&e.taskIDs.given) }
