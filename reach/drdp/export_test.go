package drdp

import "github.com/detrace/detrace/reach"

// Slow is Engine with the plainest query: the DPST climbed level by level, and all
// non-tree joins searched, whatever the stack, the numbers and the memo say.
type Slow struct{ Engine }

// Precedes is that of Engine.
func (e *Slow) Precedes(u, v reach.Strand) bool {
	if u.Task() == v.Task() {
		return u <= v
	}
	return e.slowTree(u.Index(), v.Index()) || e.slowSearch(u.Index(), e.task(v.Task()).position, map[uint32]bool{})
}

func (e *Slow) slowTree(a, b uint32) bool {
	x, y := *e.leaves.At(a), *e.leaves.At(b)
	keyA, keyB, async := a, b, false
	for x != y {
		if n, o := e.nodes.At(x), e.nodes.At(y); n.depth() >= o.depth() {
			x, keyA, async = n.parent, n.key, n.async()
		} else {
			y, keyB = o.parent, o.key
		}
	}
	return keyA < keyB && !async
}

func (e *Slow) slowSearch(a, position uint32, seen map[uint32]bool) bool {
	if position == 0 || seen[position] {
		return false
	}
	seen[position] = true
	j := e.joins.At(position)
	return j.leaf != 0 && (j.leaf == a || e.slowTree(a, j.leaf)) ||
		e.slowSearch(a, j.prev, seen) || e.slowSearch(a, j.link, seen)
}

// LastEpoch leaves so many searches before stamps run out. There has been none yet.
func (e *Engine) LastEpoch(searches uint32) { e.epoch = ^uint32(0) - searches }

// Epoch is the stamp of the last search.
func (e *Engine) Epoch() uint32 { return e.epoch }

// Joins are the non-tree joins of task t as numbers of the strands that set what it awaited,
// newest first, and the nearest ancestor whose joins it goes on with, if any: the columns nt
// and lsa of the paper.
func (e *Engine) Joins(t reach.Task) (own []uint32, ancestor reach.Task) {
	for p := e.task(t).position; p != 0; p = e.joins.At(p).prev {
		j := e.joins.At(p)
		if j.owner != uint32(t) {
			return own, reach.Task(j.owner)
		}
		own = append(own, j.leaf)
	}
	return own, 0
}

// InTree reports whether the DPST alone orders u before v.
func (e *Engine) InTree(u, v reach.Strand) bool { return e.inTree(u.Index(), v.Index()) }

// Searched is how many non-tree joins searches have looked at.
func (e *Engine) Searched() uint64 { return e.searched }
