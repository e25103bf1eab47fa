package jointree

import (
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// lift is the ancestor of t at the given depth, t itself if it is not deeper.
func (e *Engine) lift(t, depth uint32) uint32 {
	for {
		r := e.task(t)
		if r.depth <= depth {
			return t
		}
		if e.task(r.jump).depth >= depth {
			t = r.jump
		} else {
			t = r.parent
		}
	}
}

// relate finds the lowest common ancestor l of two different tasks and its
// children x towards c and y towards t; 0 where l is c or t itself.
// Cost: O(1) for siblings, else O(log depth).
func (e *Engine) relate(c, t uint32) (l, x, y uint32) {
	cr, tr := e.task(c), e.task(t)
	if cr.parent == tr.parent {
		return cr.parent, c, t
	}
	if cr.depth > tr.depth {
		x = e.lift(c, tr.depth+1)
		if c = e.task(x).parent; c == t {
			return t, x, 0
		}
	} else if tr.depth > cr.depth {
		y = e.lift(t, cr.depth+1)
		if t = e.task(y).parent; t == c {
			return c, 0, y
		}
	}
	for {
		cr, tr = e.task(c), e.task(t)
		switch {
		case cr.parent == tr.parent:
			return cr.parent, c, t
		case cr.jump != tr.jump:
			c, t = cr.jump, tr.jump
		default:
			c, t = cr.parent, tr.parent
		}
	}
}

// position is where the path from strand at of the lowest common ancestor
// leaves it towards y, or at itself when there is no y.
func (e *Engine) position(y, at uint32) uint32 {
	if y != 0 {
		return e.task(y).fork
	}
	return at
}

// positionIn is where the path to strand u, of y or of a descendant, leaves y.
func (e *Engine) positionIn(y uint32, u reach.Strand) uint32 {
	t := uint32(u.Task())
	if t == y {
		return u.Index()
	}
	return e.task(e.lift(t, e.task(y).depth+1)).fork
}

// shortcut is an ancestor whose first link is on the chain of t's first link,
// 0 if none is known.
func (e *Engine) shortcut(t uint32) uint32 {
	r := e.task(t)
	if up := offheap.Load32(&r.up); up != 0 {
		return up
	}
	if r.first.to != r.parent {
		return 0
	}
	p := e.task(r.parent)
	if offheap.Load32(&p.has) == 0 || r.first.at > p.first.upTo {
		return 0
	}
	offheap.Store32(&r.up, r.parent)
	return r.parent
}

// find follows shortcuts from t, which has a link, until the depth is reached
// or passed or there are no more, and halves the path for those who come after.
func (e *Engine) find(t, depth uint32) uint32 {
	for e.task(t).depth > depth {
		up := e.shortcut(t)
		if up == 0 {
			return t
		}
		if upper := e.shortcut(up); upper != 0 {
			offheap.Store32(&e.task(t).up, upper)
			up = upper
		}
		t = up
	}
	return t
}

// next is the first link of r after its first that covers strand i.
func (e *Engine) next(r *task, i uint32) (l link, ok bool) {
	more := offheap.Load32(&r.more)
	if more == 0 {
		return l, false
	}
	n := e.linkCount(more)
	lo := uint32(0)
	for hi := n; lo < hi; {
		if mid := (lo + hi) / 2; e.linkAt(more, mid).upTo < i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == n {
		return l, false
	}
	return e.linkAt(more, lo), true
}

// chainAt follows the links from strand (c, i) to the first strand of a task
// that is not deeper than l, a proper ancestor of c; x is l's child towards c.
func (e *Engine) chainAt(c, i, x, l uint32) (task, at uint32, ok bool) {
	floor := e.task(l).depth
	for {
		r := e.task(c)
		if r.depth <= floor {
			return c, i, true
		}
		if offheap.Load32(&r.has) == 0 {
			return 0, 0, false
		}
		k := r.first
		if i > k.upTo {
			if k, ok = e.next(r, i); !ok {
				return 0, 0, false
			}
		} else if r.depth > floor+1 {
			// The chain of first links passes x if the shortcuts go that far.
			if top := e.find(c, floor+1); e.task(top).depth <= floor+1 {
				k = e.task(x).first
			} else {
				k = e.task(top).first
			}
		}
		c, i = k.to, k.at
	}
}

// implied reports whether tree, links and chains alone say that strand (c, i) is
// strand (t, j) or precedes it.
func (e *Engine) implied(c, i, t, j uint32) bool {
	if c == t {
		return i <= j
	}
	l, x, y := e.relate(c, t)
	pos := e.position(y, j)
	if x == 0 {
		return i <= pos
	}
	if y != 0 && e.task(y).succeeds() && e.alongChain(c, i, x, y) && e.positionIn(y, reach.StrandOf(reach.Task(t), j)) > e.chainOf(y).start {
		return true
	}
	task, at, ok := e.chainAt(c, i, x, l)
	return ok && task == l && at <= pos
}
