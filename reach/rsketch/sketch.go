package rsketch

import "github.com/detrace/detrace/internal/invariants"

// process is case 1: v has one predecessor, u, of which it is the next or the other
// successor, and a place.
func (e *Engine) process(u, v uint32) {
	n, p := e.node(v), e.node(u)
	n.pred, n.pa = u, p.pa
	if p.next == 0 {
		p.next = v
	} else {
		p.other = v
	}
}

// follow processes v, the only successor of u.
func (e *Engine) follow(u, v uint32) {
	at := e.node(u).item
	e.node(v).item = e.place(at, at)
	e.process(u, v)
}

// fork gives the two sides of a fork u their places.
func (e *Engine) fork(u, l, r uint32) {
	at := e.node(u).item
	e.node(l).item = e.place(at, at)
	e.node(r).item = e.place(e.node(l).item, at)
}

// join is case 2: it processes v, the join of l, which a fork's left side ends in, and
// r, which its right side does.
func (e *Engine) join(l, r, v uint32) {
	a, b, n := e.node(l), e.node(r), e.node(v)
	n.item = e.place(b.item, a.item)
	n.pred, n.right = l, r
	a.next, b.next = v, v
	switch pl, pr := a.pa, b.pa; {
	case e.before(pl, pr):
		n.pa = pr
	case e.before(pr, pl):
		n.pa = pl
	default:
		e.becomeAnchor(v)
		e.setSlots(pl, e.side(pl, v), v)
		e.setSlots(pr, e.side(pr, v), v)
		e.edge(pl, v)
		e.edge(pr, v)
		e.back(l, pl)
		e.back(r, pr)
		n.pa, n.px = v, v
	}
}

// makeAnchor is case 3: v, which has no successors yet, is an end of a non-SP edge.
// Nothing changes if it is an anchor.
func (e *Engine) makeAnchor(v uint32) {
	n := e.node(v)
	if n.vertex != 0 {
		return
	}
	invariants.Assert(n.next == 0, "rsketch: a node with successors becomes an end of a non-SP edge")
	e.becomeAnchor(v)
	p := n.pa
	if s := e.side(p, v); e.free(p, s) {
		e.setSlots(p, s, v)
		e.edge(p, v)
	} else {
		p = e.splice(v)
	}
	e.back(n.pred, p)
	e.back(n.right, p)
	n.pa, n.px = v, v
}

// splice is case 3b: the fork where the way to v leaves the way to the anchors behind
// v's PredAnchor becomes an anchor. It returns the fork.
func (e *Engine) splice(v uint32) uint32 {
	f := v
	for e.node(f).px == 0 {
		f = e.node(f).pred
		e.visits.path++
	}
	n := e.node(f)
	p, s := n.pa, e.successor(f)
	invariants.Assert(n.vertex == 0 && n.other != 0, "rsketch: what becomes an anchor between two others is a fork")
	e.becomeAnchor(f)
	a := e.anchor(p)
	for i := range a.out {
		if a.out[i] == s {
			a.out[i] = f
		}
	}
	e.edge(p, f)
	e.edge(f, s)
	e.edge(f, v)
	e.setSlots(f, e.side(f, s), s)
	e.setSlots(f, e.side(f, v), v)
	e.forward(f, p)
	n.pa, n.px = f, f
	return f
}

// back sets the proxies of x and of what is before it as far as they have none.
func (e *Engine) back(x, px uint32) {
	top := uint32(0)
	for {
		for x != 0 && e.node(x).px == 0 {
			n := e.node(x)
			n.px = px
			e.visits.back++
			if n.right != 0 {
				*e.stack.At(top) = n.right
				top++
			}
			x = n.pred
		}
		if top == 0 {
			return
		}
		top--
		x = *e.stack.At(top)
	}
}

// forward makes f the PredAnchor of what is behind it and has had p, and its proxy
// where that was p too.
func (e *Engine) forward(f, p uint32) {
	*e.stack.At(0) = e.node(f).other
	top, x := uint32(1), e.node(f).next
	for {
		for x != 0 && e.node(x).pa == p {
			n := e.node(x)
			n.pa = f
			if n.px == p {
				n.px = f
			}
			e.visits.forward++
			if n.other != 0 {
				*e.stack.At(top) = n.other
				top++
			}
			x = n.next
		}
		if top == 0 {
			return
		}
		top--
		x = *e.stack.At(top)
	}
}

// successor is SuccAnchor: the nearest anchor after x in the SP dag, x if it is one; 0
// if there is none.
func (e *Engine) successor(x uint32) uint32 {
	n := e.node(x)
	if n.vertex != 0 {
		return x
	}
	if n.px == 0 {
		return 0
	}
	p, a := e.node(n.px), e.anchor(n.px)
	if p.other == 0 || e.before(p.next, x) {
		return a.out[0]
	}
	return a.out[1]
}

// side is which slots of anchor p lead to v, which is behind it: both if v is behind
// the join of p.
func (e *Engine) side(p, v uint32) slots {
	n := e.node(p)
	if n.other == 0 {
		return left
	}
	var s slots
	if e.before(n.next, v) {
		s = left
	}
	if e.before(n.other, v) {
		s |= right
	}
	return s
}

// free reports whether none of the slots of p is taken.
func (e *Engine) free(p uint32, s slots) bool {
	a := e.anchor(p)
	return (s&left == 0 || a.out[0] == 0) && (s&right == 0 || a.out[1] == 0)
}

func (e *Engine) setSlots(p uint32, s slots, to uint32) {
	a := e.anchor(p)
	if s&left != 0 {
		a.out[0] = to
	}
	if s&right != 0 {
		a.out[1] = to
	}
}

func (e *Engine) anchor(x uint32) *anchor { return e.anchors.At(e.node(x).vertex) }

// becomeAnchor puts x into R.
func (e *Engine) becomeAnchor(x uint32) {
	e.node(x).vertex = e.closure.vertex()
}

// edge adds an edge of R between two anchors.
func (e *Engine) edge(x, y uint32) { e.closure.edge(e.node(x).vertex, e.node(y).vertex) }
