// Package drdp is the reachability engine of programs with promises: DRDP, of
// Jin, Yu, Cogumbreiro, Shirako and Sarkar (ECOOP 2023), with
// its slips corrected: see docs/papers.md.
//
// What precedes what by forks, finishes and syncs is in the DPST, a tree of asyncs,
// finishes and strands: of two strands the left one precedes the right one unless
// the child of their least common ancestor that holds it is an async. What promises
// add are non-tree joins: a task remembers those that it, its creator until then,
// and the tasks that it joined took part in, and a query searches back through
// them.
//
// Class: promises, set and awaited by any task, beside spawn/sync, async/finish and
// futures, as long as sync blocks and finishes nest. A sync block is a finish, from
// the first spawn after a sync to the next sync. A future is an async whose start
// awaits a promise set at its create, and whose end sets one that a get awaits.
// Order: reach.Stacked, checked here. A task that waits for a promise shows as a
// Block; a wait for the end of a finish, a sync block or a future shows only in that
// the task below goes on.
//
// Costs, with depth d of the DPST and m non-tree joins: a construct O(log d) at
// most, a join of n tasks O(n). A query O(log d) if the DPST or the stack of running
// tasks decides, or if who asks has awaited a task near the one in question, itself or through a few
// others; O(m log d) at worst, if it takes a search. A task takes 68 bytes, a strand 4, a finish or
// sync block 16, a non-tree join 28.
//
// Departures from the paper:
//   - Lists of non-tree joins are append-only, and each is a chain that goes on with
//     the creator's as it was at the creation. So the newest join stands for a
//     position in the list and for all that was joined up to there, and nothing is
//     merged: what a finish joins stays behind a link to its last position. Merged
//     sets answer wrongly: a set before a join would seem to carry that join.
//   - The strand that ends in a set is the leaf to ask about; no empty async is
//     needed.
//   - A task that is active, that is, on the stack and has run since it was pushed,
//     precedes those above it that are active too. The paper's rule is wrong for a
//     task that was woken and has not gone on, and for one that was passed over.
//   - Few queries search. Numbers of strands are topologically sorted, so joins that
//     are all older than the strand in question are left out. A task that has no
//     children and whom nobody has joined since the strand precedes nothing else.
//     Answers of searches are kept: what is joined up to a position never changes.
package drdp

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand of a program with promises precedes the one that
// runs. It allocates nothing on the Go heap. One goroutine at a time. The zero value
// must be initialised with Init.
type Engine struct {
	nodes    offheap.Table[node]
	leaves   offheap.Table[uint32] // by strand number: its parent in the DPST
	tasks    offheap.Table[task]
	scopes   offheap.Table[scope]
	joins    offheap.Table[join]
	promises offheap.Table[promise]
	futures  offheap.Table[future] // by task
	stack    offheap.Table[slot]   // of running tasks, from 1

	nodeCount, scopeCount, freeScope, joinCount, promiseCount, taskCount, strandCount uint32

	height  uint32 // of the stack
	clock   uint32 // constructs so far
	waits   uint32 // tasks taken to wait so far
	created uint32 // futures so far
	unended uint32 // of them

	queue, seen offheap.Table[uint32] // of a search
	epoch       uint32
	searched    uint64 // joins, by all searches
	memo        offheap.Table[remembered]
}

// task is what the engine knows of a task.
type task struct {
	node      uint32 // its strands of now are children of it
	scope     uint32 // innermost one around what it does now, 0 none
	inherited uint32 // the one that it was started in
	position  uint32 // its newest non-tree join
	base      uint32 // its position when it started: its creator's
	heard     uint32 // newest non-tree join of a strand of it, by whomever
	furthest  uint32 // greatest leaf among those
	creator   uint32
	place     uint32 // on the stack, while it is there
	since     uint32 // the how manieth wait its last one was
	promise   uint32 // it has blocked for it and not gone on
	next      uint32 // who blocked for the same promise before
	state     state
	future    bool
	forked    bool // it has started another task, future or not
}

// scope is an open finish or sync block.
type scope struct {
	outer   uint32 // the next one around, of whatever task; free scopes are linked by it
	owner   uint32
	running uint32 // tasks of it that have not ended
	opener  uint32 // first child of the sync block of owner that it is or is in, 0 none
	sync    bool
}

type promise struct {
	position uint32 // of the setter at the set
	waiters  uint32 // newest task that has blocked for it
}

const maxCount = 1 << 30

// Init makes room for so many tasks and strands, at most 2^30 each; promises are
// numbered up to maxTasks. The root task is running in strand reach.Root.
func (e *Engine) Init(maxTasks, maxStrands uint32) {
	invariants.Assert(maxTasks <= maxCount && maxStrands <= maxCount, "drdp: too many tasks or strands")
	strands := maxStrands + 2 // from 0, and there is always a root
	tasks := maxTasks + 2
	e.nodes.Init(strands)
	e.leaves.Init(strands)
	e.scopes.Init(strands)
	e.joins.Init(strands)
	e.queue.Init(strands)
	e.seen.Init(strands)
	e.tasks.Init(tasks)
	e.futures.Init(tasks)
	e.stack.Init(tasks)
	e.promises.Init(tasks)
	e.memo.Init(memoSize)
	e.nodeCount, e.scopeCount, e.freeScope, e.joinCount, e.promiseCount = 0, 0, 0, 0, 0
	e.height, e.clock, e.waits, e.created, e.unended, e.epoch, e.searched = 0, 0, 0, 0, 0, 0, 0
	e.taskCount, e.strandCount = 1, reach.Root.Index()
	root := reach.Root.Task()
	e.task(root).node = e.newNode(0, reach.Root.Index(), true)
	*e.leaves.At(reach.Root.Index()) = e.task(root).node
	e.push(uint32(root), running)
}

// Traits says what the engine takes.
func (e *Engine) Traits() reach.Traits { return reach.Traits{Name: "drdp", Order: reach.Stacked} }

// Bytes is the memory in use.
func (e *Engine) Bytes() uint64 {
	return uint64(e.nodeCount)*uint64(unsafe.Sizeof(node{})) +
		uint64(e.strandCount)*4 +
		uint64(e.taskCount)*uint64(unsafe.Sizeof(task{})) +
		uint64(e.scopeCount)*uint64(unsafe.Sizeof(scope{})) +
		uint64(e.joinCount)*uint64(unsafe.Sizeof(join{})+4) +
		uint64(e.promiseCount)*uint64(unsafe.Sizeof(promise{})) +
		memoSize*uint64(unsafe.Sizeof(remembered{}))
}

func (e *Engine) task(t reach.Task) *task { return e.tasks.At(uint32(t)) }

// Do takes the next construct. It refuses forks and joins on a line, a sync block
// and a finish that do not nest, and a construct of a task whose turn it is not.
func (e *Engine) Do(c *reach.Construct) reach.Refusal {
	if refusal := e.admits(c); refusal.Refused() {
		return refusal
	}
	if refusal := e.turn(c); refusal.Refused() {
		return refusal
	}
	e.clock++
	e.resume(c)
	t := e.task(c.Task)
	switch c.Kind {
	case reach.Spawn, reach.Async, reach.Create:
		e.fork(c, t)
	case reach.Finish:
		e.open(c, t, c.After, 0)
	case reach.Sync, reach.EndFinish:
		e.join(c, t)
	case reach.Get:
		e.follow(c, t, e.task(c.Other).position)
	case reach.Await:
		e.follow(c, t, e.promises.At(c.Promise).position)
	case reach.Set:
		e.set(c, t)
	case reach.Block:
		e.block(c, t)
	case reach.End:
		e.end(c, t)
	}
	if c.After != 0 {
		e.strandCount = c.After.Index()
		*e.leaves.At(c.After.Index()) = t.node
	}
	return reach.Refusal{}
}

// own is the innermost scope that t itself has open, an empty one if there is none.
func (e *Engine) own(t *task) *scope {
	if t.scope == t.inherited {
		return e.scopes.At(0)
	}
	return e.scopes.At(t.scope)
}

// admits refuses what is outside the class or has no room.
func (e *Engine) admits(c *reach.Construct) reach.Refusal {
	t := e.task(c.Task)
	own, around := e.own(t), e.scopes.At(t.scope)
	why, other := "", reach.Task(own.opener)
	switch c.Kind {
	case reach.Fork, reach.Join:
		why, other = "drdp takes no forks and joins on a line: lattice and vclock do", c.Other
	case reach.Spawn:
		if own.opener != 0 && !own.sync {
			why = "a spawn inside a finish that is inside the task's sync block is joined outside the finish: drdp takes only blocks that nest, vclock takes it"
		}
	case reach.Async:
		if around.sync {
			why, other = "an async inside a sync block is not joined by its sync: drdp takes only blocks that nest, vclock takes it", reach.Task(around.opener)
		} else if t.scope == 0 && c.Finish != 0 {
			why = "an async inside a future is joined by a finish outside, which does not join the future: drdp takes only blocks that nest, vclock takes it"
		}
	case reach.Sync:
		if !own.sync {
			why = "a sync inside a finish joins what was spawned outside the finish: drdp takes only blocks that nest, vclock takes it"
		}
	case reach.EndFinish:
		if own.sync {
			why = "the finish ends inside a sync block, whose children it does not join: drdp takes only blocks that nest, vclock takes it"
		}
	}
	switch {
	case why != "":
		return reach.Refusal{Why: why, Other: other}
	case c.Kind.Forks() && uint32(c.Other) >= e.tasks.Max():
		return reach.Refusal{Why: "drdp has no room for so many tasks"}
	case c.After.Index() >= e.leaves.Max():
		return reach.Refusal{Why: "drdp has no room for so many strands"}
	case c.Promise >= e.promises.Max():
		return reach.Refusal{Why: "drdp has no room for so many promises"}
	}
	return reach.Refusal{}
}

// open opens a finish, or a sync block whose first child is opener. key is the
// first strand inside.
func (e *Engine) open(c *reach.Construct, t *task, key reach.Strand, opener reach.Task) {
	id := e.freeScope
	if id != 0 {
		e.freeScope = e.scopes.At(id).outer
	} else {
		e.scopeCount++
		id = e.scopeCount
	}
	s := scope{outer: t.scope, owner: uint32(c.Task), opener: uint32(opener), sync: opener != 0}
	if !s.sync {
		s.opener = e.own(t).opener
	}
	*e.scopes.At(id) = s
	t.scope, t.node = id, e.newNode(t.node, key.Index(), false)
}

func (e *Engine) fork(c *reach.Construct, t *task) {
	if c.Kind == reach.Spawn && !e.own(t).sync {
		e.open(c, t, c.First, c.Other)
	}
	t.forked = true
	child := task{creator: uint32(c.Task), scope: t.scope, inherited: t.scope, position: t.position, base: t.position}
	parent := t.node
	if c.Kind == reach.Create {
		// No finish joins it: it is in a tree of its own, after its creator by a
		// non-tree join only.
		child = task{creator: uint32(c.Task), future: true, position: e.newJoin(c.Other, 0, c.Before, t.position)}
		parent = 0
		e.created++
		e.unended++
	} else if t.scope != 0 {
		e.scopes.At(t.scope).running++
	}
	child.node = e.newNode(parent, c.First.Index(), true)
	*e.leaves.At(c.First.Index()) = child.node
	*e.task(c.Other) = child
	e.taskCount = uint32(c.Other)
	e.push(uint32(c.Other), running)
}

// join closes t's innermost scope.
func (e *Engine) join(c *reach.Construct, t *task) {
	for i := range c.Joined {
		// Without news of its own it knows what its creator did, who is joined too
		// or is t.
		k := e.task(c.Joined[i].Task)
		k.state = joined
		if k.position != k.base {
			t.position = e.newJoin(c.Task, t.position, 0, k.position)
		}
	}
	s := e.scopes.At(t.scope)
	t.node = e.nodes.At(t.node).parent
	t.scope, s.outer, e.freeScope = s.outer, e.freeScope, t.scope
}

// follow adds that c.Source, whose task was at position then, precedes t from now on.
func (e *Engine) follow(c *reach.Construct, t *task, position uint32) {
	if e.inTree(c.Source.Index(), c.Before.Index()) {
		return
	}
	t.position = e.newJoin(c.Task, t.position, c.Source, position)
}

func (e *Engine) set(c *reach.Construct, t *task) {
	p := e.promises.At(c.Promise)
	e.promiseCount = max(e.promiseCount, c.Promise)
	p.position = t.position
	for w := p.waiters; w != 0; w = e.tasks.At(w).next {
		e.push(w, woken)
	}
	p.waiters = 0
}

func (e *Engine) block(c *reach.Construct, t *task) {
	p := e.promises.At(c.Promise)
	e.promiseCount = max(e.promiseCount, c.Promise)
	t.promise, t.next, p.waiters = c.Promise, p.waiters, uint32(c.Task)
	t.state = blocked
	e.height--
}

func (e *Engine) end(c *reach.Construct, t *task) {
	t.state = ended
	e.height--
	if t.future {
		e.unended--
		*e.futures.At(uint32(c.Task)) = future{height: e.height, ended: e.clock}
		return
	}
	if t.inherited == 0 {
		return
	}
	s := e.scopes.At(t.inherited)
	s.running--
	if owner := e.tasks.At(s.owner); s.running == 0 && owner.state == waiting && owner.scope == t.inherited {
		e.push(s.owner, woken)
	}
}
