package multibagsplus

import "github.com/detrace/detrace/internal/offheap"

// closure is R with its transitive closure. Its nodes are attached sets, numbered
// from 1 as they come.
//
// Almost all come after everything that precedes them and before what follows. The row
// of such a node holds its predecessors then, and is never changed. The others are
// forks that a sync attaches, after their successors. In depth-first order all that
// has run since a fork, up to that sync, follows it. So its successors then are the
// nodes of an interval: from the first one attached since it ran, to itself. What
// precedes the fork precedes them already; that the fork does too is not written into
// their rows. So who precedes a node is its row and the late forks around it, in whose
// intervals it is. Intervals are nested or disjoint, and the forks around a node are a
// path in a forest.
type closure struct {
	nodes offheap.Table[node]
	rows  rows
	count uint32
}

type node struct {
	row   row
	since uint32 // the node itself, or for a late fork its first successor
	// around is the innermost late fork around the node; while there is none, the
	// node before it of which that holds, which is less than it, or 0.
	around uint32
}

func (r *closure) init(maxNodes, maxBlocks uint32) {
	r.nodes.Init(maxNodes + 1)
	r.rows.init(maxNodes, maxBlocks)
}

// full reports whether a row has not fitted. Then the nodes added since are wrong, and
// nothing may be added any more; answers about older ones stay right.
func (r *closure) full() bool { return r.rows.full }

// after is the row of a node that a and b precede, and what precedes them; b may be
// 0. Cost: O(nodes) bit operations, fewer where rows of a and b share blocks.
func (r *closure) after(a, b uint32) row {
	r.rows.begin()
	joined := r.nodes.At(a).row
	if b == 0 {
		return r.withForks(joined, a)
	}
	joined = r.rows.union(joined, r.nodes.At(b).row)
	return r.withForks(r.withForks(joined, a), b)
}

// withForks returns the row with n and the late forks around it. Where the row has one
// of these already, through another node, it has or gets those around that too: they
// precede that node, so they are in its row or, if attached since, around it.
func (r *closure) withForks(to row, n uint32) row {
	to = r.rows.with(to, n)
	for around := r.nodes.At(n).around; around > n && !r.rows.has(to, around); around = r.nodes.At(n).around {
		n = around
		to = r.rows.with(to, n)
	}
	return to
}

// add adds a node that nothing follows yet.
func (r *closure) add(preds row) uint32 { return r.addFork(preds, r.count+1) }

// addFork adds a node that all nodes from since on follow. Cost: O(1) amortised.
func (r *closure) addFork(preds row, since uint32) uint32 {
	last := r.count
	r.count++
	for last >= since {
		n := r.nodes.At(last)
		last, n.around = n.around, r.count
	}
	*r.nodes.At(r.count) = node{row: preds, since: since, around: last}
	return r.count
}

// reaches reports whether a precedes b or is it.
func (r *closure) reaches(a, b uint32) bool {
	if a >= b {
		return r.nodes.At(a).since <= b
	}
	return r.rows.has(r.nodes.At(b).row, a)
}

func (r *closure) bytes() uint64 {
	const nodeBytes = 16
	return nodeBytes*uint64(r.count) + r.rows.bytes()
}
