package drdp

import (
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/reach"
)

// join is a non-tree join. It stands for a position: itself, all that prev stands
// for and all that link does.
type join struct {
	prev   uint32 // the one before it in the list of its task
	leaf   uint32 // the strand that ended in what was awaited; 0 if a finished task was joined
	link   uint32 // position of the task of leaf then, or of the finished task
	newest uint32 // greatest leaf of all that it stands for
	owner  uint32 // the task whose list it is in
	older  uint32 // the one before it whose leaf is of the same task
}

// newJoin appends a join to the list of owner that ends in prev. leaf is 0 if a
// finished task is joined.
func (e *Engine) newJoin(owner reach.Task, prev uint32, leaf reach.Strand, link uint32) uint32 {
	e.joinCount++
	j := join{
		prev: prev, leaf: leaf.Index(), link: link, owner: uint32(owner),
		newest: max(leaf.Index(), e.joins.At(prev).newest, e.joins.At(link).newest),
	}
	if leaf != 0 {
		t := e.task(leaf.Task())
		j.older, t.heard = t.heard, e.joinCount
		t.furthest = max(t.furthest, j.leaf)
	}
	*e.joins.At(e.joinCount) = j
	return e.joinCount
}

// Precedes reports whether u precedes v or is v. v is the strand that its task is
// in, and the task has not ended; u is any strand that has run. Cost: see the package
// comment.
func (e *Engine) Precedes(u, v reach.Strand) bool {
	if u.Task() == v.Task() {
		return u <= v
	}
	if u.Index() > v.Index() {
		return false
	}
	s, t := e.task(u.Task()), e.task(v.Task())
	active := s.state == running && t.state == running && s.place < t.place
	if active && !invariants.Enabled {
		return true
	}
	yes := e.inTree(u.Index(), v.Index()) || e.reached(u, v.Task(), t.position)
	invariants.Assert(yes || !active, "drdp: an active task does not precede one above it")
	return yes
}

// remembered is what searches found for the strands of a task up to a position:
// those up to yes are joined, those from no on are not.
type remembered struct{ task, position, yes, no uint32 }

const (
	memoBits = 10
	memoSize = 1 << memoBits
)

// reached reports whether u precedes or is a leaf of what position, of task t, stands
// for.
func (e *Engine) reached(u reach.Strand, t reach.Task, position uint32) bool {
	a := u.Index()
	if e.joins.At(position).newest < a || e.confined(u) {
		return false
	}
	key := uint64(u.Task())<<32 | uint64(position)
	m := e.memo.At(uint32(key * 0x9e3779b97f4a7c15 >> (64 - memoBits)))
	if m.task != uint32(u.Task()) || m.position != position {
		*m = remembered{task: uint32(u.Task()), position: position, no: ^uint32(0)}
	}
	switch {
	case a <= m.yes:
		return true
	case a >= m.no:
		return false
	}
	yes := e.direct(u, t, position) || e.search(a, position)
	if yes {
		m.yes = a
	} else {
		m.no = a
	}
	return yes
}

// confined reports whether nothing outside its task follows u so far: nobody has joined
// the task or a later leaf of it, and it has no children.
func (e *Engine) confined(u reach.Strand) bool {
	t := e.task(u.Task())
	return t.furthest < u.Index() && !t.forked && t.state != joined
}

// Dear reports whether searches have cost more by far than it costs to remember what each
// task knows, as they do in wavefronts, where most of the past is a join.
func (e *Engine) Dear() bool { return e.searched > 1<<17+32*uint64(e.clock) }

const (
	nearby = 4  // levels, and joins of a task, that direct looks at
	afar   = 32 // joins that it follows
)

// direct reports whether position, of task t, stands for a join that u is known to
// precede, of the task t or one not far above. It goes forward from u: to the joins of
// leaves that u precedes or is, of u's task or one not far above it, and from each to
// the joins of what its owner set after it. It knows some of the answers of search, at
// a bounded cost: so who awaits many tasks and then asks about each searches for none,
// nor who asks, in a tree of tasks that each await their children, about one of the
// tree before.
func (e *Engine) direct(u reach.Strand, t reach.Task, position uint32) bool {
	var after [afar]uint32 // joins that u precedes
	n := 0
	a, id := u.Index(), uint32(u.Task())
	for level := 0; level < nearby && id != 0; level++ {
		k := e.tasks.At(id)
		x := k.heard
		for i := 0; i < nearby && x != 0; i++ {
			j := e.joins.At(x)
			if x <= position && (j.leaf == a || a < j.leaf && e.inTree(a, j.leaf)) {
				if e.inherits(uint32(t), position, j.owner, x) {
					return true
				}
				after[n] = x
				n++
			}
			x = j.older
		}
		id = k.creator
	}
	for i := 0; i < n; i++ {
		y := e.tasks.At(e.joins.At(after[i]).owner).heard
		for k := 0; k < nearby && y != 0; k++ {
			j := e.joins.At(y)
			if j.link >= after[i] && y <= position {
				if e.inherits(uint32(t), position, j.owner, y) {
					return true
				}
				if n < afar {
					after[n] = y
					n++
				}
			}
			y = j.older
		}
	}
	return false
}

// inherits reports whether join x of owner is in the list of t that ends in
// position, if owner is not far above t.
func (e *Engine) inherits(t, position, owner, x uint32) bool {
	for level := 0; level < nearby && x <= position; level++ {
		if t == owner {
			return true
		}
		k := e.tasks.At(t)
		t, position = k.creator, k.base
	}
	return false
}

// search searches what position stands for, breadth first, the newest joins of each
// list first.
func (e *Engine) search(a, position uint32) bool {
	if e.epoch++; e.epoch == 0 {
		e.seen.Discard(0, e.joinCount+1)
		e.epoch = 1
	}
	*e.queue.At(0) = position
	for head, tail := uint32(0), uint32(1); head < tail; head++ {
		for x := *e.queue.At(head); *e.seen.At(x) != e.epoch; {
			j := e.joins.At(x)
			if j.newest < a {
				break
			}
			*e.seen.At(x) = e.epoch
			e.searched++
			if j.leaf == a || a < j.leaf && e.inTree(a, j.leaf) {
				return true
			}
			if j.link != 0 {
				*e.queue.At(tail) = j.link
				tail++
			}
			x = j.prev
		}
	}
	return false
}
