// Package rsketch is the engine R-Sketch (Agrawal, Devietti, Fineman, Lee, Utterback
// and Xu, "Race Detection and Reachability in Nearly Series-Parallel DAGs", SODA
// 2018): a series-parallel dag and k non-SP edges, the latter's ends being anchors of
// a small dag R whose transitive closure is kept.
//
// Class: everything but Fork and Join. Spawn with Sync and Async with EndFinish are
// forks and nested binary joins of the SP dag. Create, and Async that no finish joins,
// hang the child under the source of the SP dag instead: fork c(i) of a chain has the
// i-th such child on its left and the rest of the chain on its right, and a non-SP
// edge leads from the creator to the child. So is a Spawn or Async hung whose join
// cannot be sure to nest with the joins of the forks before it (an Async inside a
// spawned child, a Spawn while asyncs of an own finish are out, an Async while spawned
// children are); a non-SP edge leads to its join. Get, and Set with Await, are non-SP
// edges.
//
// Order: any. Depth-first and stacked orders bound the searches: all of them together
// visit each node a few times. In other orders single nodes can be visited once for
// each fork that becomes an anchor.
//
// Costs: O(1) a construct and task joined, but for the searches and for the closure. A
// non-SP edge adds at most six anchors and R has at most three edges an anchor; each
// edge costs a union of two sets, one word for 1024 anchors, and a smaller one for every
// edge out of an anchor that gains something. O(n + k²) altogether. A query is O(1): at
// most four order queries and a bit. Bytes: 32 a strand and 26 for its places in two
// lists, 20 a task; for an anchor 28, 8 an edge of R, and its set, which shares most of
// its blocks with others: 1.8 kB for each of 300,000 anchors of a tree of futures.
//
// Departs from the paper: 3.3, case 3b, replaces by f the slot that leads from p(f) to
// s(f); whether a slot is free is asked of the slot that leads towards v, so that
// forks and joins can be ends of non-SP edges and no empty strands are needed; one
// backward path finds f; the source is a fork whose right side is the chain above;
// the first strand after a fork is processed with the fork and not when it runs, which
// visits it at most once more.
package rsketch

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/omlist"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand of a run precedes which. One goroutine at a time.
type Engine struct {
	nodes     offheap.Table[node]   // by strand number; then the nodes that are no strands
	tasks     offheap.Table[task]   // by task
	finishers offheap.Table[uint32] // by finish: the task that opened it
	anchors   offheap.Table[anchor] // by vertex of R
	stack     offheap.Table[uint32] // of a search
	closure   closure               // of R

	// english and hebrew are the orders of the nodes that run the left and the right
	// side of each fork first. Both have the same items.
	english, hebrew omlist.List

	strands   uint32 // numbers there is room for
	others    uint32 // the last node that is no strand
	processed uint32 // the last strand
	newest    uint32 // task
	chain     uint32 // the last fork of the chain of hung tasks
	tail      uint32 // the node after it on the right, which has a place but is not processed

	visits visits
}

// visits counts nodes visited by searches.
type visits struct{ path, back, forward uint64 }

// node is a node of the SP dag. Nodes are linked by number.
type node struct {
	pred, right uint32 // predecessors; right is that of a join, 0 otherwise
	next, other uint32 // successors, as far as processed; other is the right one of a fork
	pa          uint32 // PredAnchor: the nearest anchor before it, or itself
	px          uint32 // proxy: whose slot is the nearest anchor after it; 0 if there is none
	item        uint32 // in the orders
	vertex      uint32 // of R; 0 if it is no anchor
}

// anchor is a node in R. Its slots are the targets of its edges in R's SP part; a node
// that is no fork uses the left.
type anchor struct{ out [2]uint32 }

// slots is a set of slots.
type slots uint8

const (
	left slots = 1 << iota
	right
)

// task is what is known of a task.
type task struct {
	finish  uint32 // that joins it, of an async
	spawned uint32 // children in the SP dag that its next sync joins
	inside  uint32 // children in the SP dag that a finish which it has open joins
	end     uint32 // the node it ends in, during a join
	hung    bool   // under the chain
	joined  bool   // if it is hung: somebody may join it
}

// Init makes room for so many tasks and strands, the root task and its strand among
// them; each at most 1<<31.
func (e *Engine) Init(maxTasks, maxStrands uint32) {
	others := min(uint64(maxTasks)+uint64(maxStrands)+spare, 1<<32-4-uint64(maxStrands))
	nodes := maxStrands + uint32(others) + 1
	*e = Engine{strands: maxStrands, others: maxStrands}
	e.nodes.Init(nodes)
	e.tasks.Init(maxTasks + 1)
	e.finishers.Init(maxStrands + 1)
	e.stack.Init(nodes)
	e.english.Init(nodes)
	e.hebrew.Init(nodes)
	e.closure.Init(nodes)
	e.anchors.Init(e.closure.most + 1)
	e.begin()
}

// spare is the number of nodes that are no strands before the first construct: the
// source, the chain's first fork and the place after it; and one more.
const spare = 4

// begin processes the source, the first fork of the chain and, on its left, the root
// strand.
func (e *Engine) begin() {
	source, c := e.newNode(), e.newNode()
	e.tail = e.newNode()
	root := reach.Root.Index()
	e.node(source).item = e.place(0, 0)
	e.becomeAnchor(source)
	e.node(source).pa, e.node(source).px = source, source
	e.follow(source, c)
	e.chain = c
	e.fork(c, root, e.tail)
	e.process(c, root)
	e.processed, e.newest = root, uint32(reach.Root.Task())
}

// Traits says that any order will do.
func (e *Engine) Traits() reach.Traits {
	return reach.Traits{Name: "rsketch", Order: reach.AnyOrder}
}

// Bytes is the memory in use.
func (e *Engine) Bytes() uint64 {
	nodes := uint64(e.processed) + uint64(e.others-e.strands)
	return nodes*uint64(unsafe.Sizeof(node{})) + e.english.Bytes() + e.hebrew.Bytes() +
		uint64(e.newest)*uint64(unsafe.Sizeof(task{})) +
		uint64(e.closure.vertexCount)*uint64(unsafe.Sizeof(anchor{})) + e.closure.bytes()
}

// Precedes reports whether u precedes v or is v; v runs. By the paper's corollary 3.1,
// and in the tests, the answer is right for any two strands that have started. Cost:
// O(1).
func (e *Engine) Precedes(u, v reach.Strand) bool {
	x, y := u.Index(), v.Index()
	if e.before(x, y) {
		return true
	}
	s := e.successor(x)
	return s != 0 && e.closure.reaches(e.node(s).vertex, e.node(e.node(y).pa).vertex)
}

func (e *Engine) node(x uint32) *node { return e.nodes.At(x) }

// newNode makes a node that is no strand.
func (e *Engine) newNode() uint32 {
	e.others++
	return e.others
}

// place makes an item after those two, in the English and in the Hebrew order.
func (e *Engine) place(english, hebrew uint32) uint32 {
	item := e.english.InsertAfter(english)
	other := e.hebrew.InsertAfter(hebrew)
	invariants.Assert(item != 0 && item == other, "rsketch: the orders have different items")
	return item
}

// before reports whether x is y or before it in the SP dag.
func (e *Engine) before(x, y uint32) bool {
	if x == y {
		return true
	}
	a, b := e.node(x).item, e.node(y).item
	return e.english.Before(a, b) && e.hebrew.Before(a, b)
}
