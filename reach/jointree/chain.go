package jointree

import (
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Siblings that wait for one another, as the cells of a wavefront do, would each stay
// in the fronts of all that follow. A chain keeps one for many: a task that, before
// it releases or forks, acquires a release of an elder sibling, which has ended or knows
// much, may become that sibling's successor. Then all strands of the sibling up to the
// release, and of those before it in the chain, precede every strand that the successor
// begins from then on; so a front that names one of those need not name them.
//
// Among siblings, those of one chain stand together in depth-first order, in the place
// of the first of them. A task takes its place before anybody has learned of it. In
// its place it is no longer right of the strands of the parent that its fork follows;
// so whoever names it also names the strand that forked it, unless something further
// right implies that. The successor's own front does from the beginning.
//
// As links are, chains are optional facts.

// chain is what a task has to do with chains; all zero if it is in none.
type chain struct {
	rank    uint64 // fork of the first task<<32 | how many are before it; set for successors
	before  uint32 // the task that it succeeds, or, that being reclaimed, one further back; 0 none
	after   uint32 // the task whose before it is, once until is set; 0 if that was reclaimed
	until   uint32 // atomic: one more than the last strand that precedes a successor; 0 none
	settled uint32 // somebody may have learned of the task before it released; under the task's lock
	start   uint32 // of a successor: its last strand before it became that
}

// chainOf is read as far as the task's state says that there is something to read.
func (e *Engine) chainOf(t uint32) *chain { return e.chains.At(t) }

// succeeds reports whether the task of r is the successor of another.
func (r *task) succeeds() bool { return offheap.Load32(&r.state)&stateSucceeds != 0 }

// rank is the place of t among its siblings.
func (e *Engine) rank(t uint32) uint64 {
	r := e.task(t)
	if r.succeeds() {
		return e.chainOf(t).rank
	}
	return uint64(r.fork) << 32
}

// place is the strand of t's parent that t stands right of, and left of what follows it.
func (e *Engine) place(t uint32) uint32 { return uint32(e.rank(t) >> 32) }

// alongChain reports whether strand (c, i) precedes all strands but the first of y, which
// succeeds another task, because x, c itself or an ancestor of it, is before y in a
// chain.
func (e *Engine) alongChain(c, i, x, y uint32) bool {
	rank, successor := e.rank(x), e.chainOf(y).rank
	if rank>>32 != successor>>32 || rank >= successor {
		return false
	}
	if c != x {
		at, upTo, ok := e.chainAt(c, i, e.lift(c, e.task(x).depth+1), x)
		if !ok || at != x {
			return false
		}
		i = upTo
	}
	return i < offheap.Load32(&e.chainOf(x).until)
}

// mayFollow reports whether the acquirer of g looks like a successor of c, whose front is
// f: nobody can know what it did, and c is an elder sibling. A chain of
// tasks that go on would keep short fronts from being merged as those of a family.
func (e *Engine) mayFollow(g *gather, c, f uint32) bool {
	t, r := e.task(g.t), e.task(c)
	if !t.fresh() || g.settled || c == g.t {
		return false
	}
	return t.parent != 0 && t.parent == r.parent && r.fork < t.fork && !t.succeeds() &&
		(offheap.Load32(&r.state)&stateEnded != 0 || f != 0 && e.size(f) > e.chainFrom)
}

// follow makes the acquirer of g the successor of c, up to strand i of that, if c has
// none. The front then names the strand that forked it.
func (e *Engine) follow(g *gather, c, i uint32) bool {
	t, own, link := e.task(g.t), e.chainOf(g.t), e.chainOf(c)
	t.lock.Lock()
	ok := own.settled == 0 && offheap.CAS32(&link.until, 0, i+1)
	if ok {
		own.rank, own.before, own.start, link.after = e.rank(c)+1, c, g.q-1, g.t
		offheap.Store32(&e.chained, 1)
		offheap.Store32(&t.state, t.state|stateSucceeds)
		e.setKey(g.t)
	}
	t.lock.Unlock()
	if ok {
		invariants.Assert(!e.task(c).succeeds() || i > e.chainOf(c).start, "jointree: a successor follows a strand that knew no chain")
		e.add(g, reach.StrandOf(reach.Task(t.parent), t.fork))
		g.tip = 0
	}
	return ok
}

// settle keeps t, all of whose strands anybody may be told of, from taking another place
// than its own; its current strand is what it was before or is now.
func (e *Engine) settle(t uint32) {
	r := e.task(t)
	if !r.fresh() {
		return
	}
	r.lock.Lock()
	e.chainOf(t).settled = 1
	r.lock.Unlock()
}

// absorb records links that say that strand (c, p) precedes (s, q), and with it all that
// precedes it along chains, so that no front need name c. It reports whether that is
// now implied. It does not look for what is before ancestors of c.
func (e *Engine) absorb(c, p, s, q uint32) bool {
	if offheap.Load32(&e.chained) == 0 {
		return e.link(c, p, s, q)
	}
	r := e.task(c)
	if r.parent == s {
		return e.absorbBefore(c, s, q) && e.link(c, p, s, q)
	}
	if depth := e.task(s).depth; r.depth <= depth || e.lift(c, depth) != s {
		return false
	}
	for w, upTo := c, p; w != s && !e.implied(w, upTo, s, q); w, upTo = r.parent, r.fork {
		if r = e.task(w); r.succeeds() {
			return false
		}
	}
	return e.link(c, p, s, q)
}

// absorbBefore links all that are before c, a child of s, in its chain to (s, q), the
// first of them first: before whoever is linked, all are.
func (e *Engine) absorbBefore(c, s, q uint32) bool {
	first := c
	for {
		before := e.chainOf(first).before
		if before == 0 || e.implied(before, e.chainOf(before).until-1, s, q) {
			break
		}
		first = before
	}
	for ; first != c; first = e.chainOf(first).after {
		if !e.link(first, e.chainOf(first).until-1, s, q) {
			return false
		}
	}
	return true
}

// beforeKept is the nearest task before c in its chain that stays when what is not
// marked is reclaimed, 0 if there is none. Who asks again has a short way.
func (e *Engine) beforeKept(c uint32) uint32 {
	last := e.chainOf(c).before
	for last != 0 && e.task(last).state&stateMarked == 0 {
		last = e.chainOf(last).before
	}
	for k := c; k != last; {
		link := e.chainOf(k)
		k, link.before = link.before, last
	}
	return last
}

// keepChains makes chains lead past the tasks that are not marked and forgets those.
func (e *Engine) keepChains() {
	if e.chained == 0 {
		return
	}
	for id := uint32(rootTask); id <= e.taskIDs.fresh; id++ {
		if before := e.chainOf(id).before; before != 0 && e.task(id).state&stateMarked != 0 {
			if before = e.beforeKept(id); before != 0 {
				e.chainOf(before).after = id
			}
		}
	}
	for id := uint32(rootTask); id <= e.taskIDs.fresh; id++ {
		link := e.chainOf(id)
		switch {
		case *link == chain{}:
		case e.task(id).state&stateMarked == 0:
			*link = chain{}
		case link.after != 0 && e.task(link.after).state&stateMarked == 0:
			link.after = 0
		}
	}
}
