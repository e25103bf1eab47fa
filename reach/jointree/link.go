package jointree

import "github.com/detrace/detrace/internal/offheap"

// moreLinks is how many links a running task may have besides its first. A
// parent and a child that exchange messages for ever would fill memory.
const moreLinks = 4

// link records that strand (c, p) and all before it in its task reach strand
// (s, q), and with it the prefixes of the tasks between c and s: what reaches
// c by forks would be lost otherwise. It reports whether that is now implied;
// false means refused, which happens unless s is a proper ancestor of c, and
// the fact must be kept elsewhere.
func (e *Engine) link(c, p, s, q uint32) bool {
	if e.task(c).parent != s && (c == s || e.lift(c, e.task(s).depth) != s) {
		return false
	}
	ok := true
	top, upTo := c, p
	for top != s && !e.implied(top, upTo, s, q) {
		r := e.task(top)
		r.lock.Lock()
		ok = e.accepts(r, upTo, s, q)
		top, upTo = r.parent, r.fork
		if !ok {
			break
		}
	}
	for w, upTo := c, p; w != top; {
		r := e.task(w)
		if ok {
			e.appendLink(r, link{upTo: upTo, to: s, at: q})
		}
		w, upTo = r.parent, r.fork
		r.lock.Unlock()
	}
	return ok
}

// accepts reports whether a link of r's strands up to upTo to (s, q) keeps the
// links of r in agreement: a later one must reach what an earlier one reaches.
// The caller holds r's lock. That the last link is not about a later strand
// was settled before, unless another task has just recorded it.
func (e *Engine) accepts(r *task, upTo, s, q uint32) bool {
	if offheap.Load32(&r.has) == 0 {
		return true
	}
	last := r.first
	if e.isFull(r) {
		return false
	}
	if more := offheap.Load32(&r.more); more != 0 {
		last = e.linkAt(more, e.linkCount(more)-1)
	}
	return last.upTo < upTo && (last.to == s || e.implied(last.to, last.at, s, q))
}

// isFull reports whether r, which runs, has all links that it may have.
func (e *Engine) isFull(r *task) bool {
	more := offheap.Load32(&r.more)
	return more != 0 && e.linkCount(more) >= moreLinks && offheap.Load32(&r.state)&stateEnded == 0
}

// appendLink makes l the last link of r. Readers take no lock, so the array of
// further links is replaced, not changed. The caller holds r's lock.
func (e *Engine) appendLink(r *task, l link) {
	if offheap.Load32(&r.has) == 0 {
		r.first = l
		offheap.Store32(&r.has, 1)
		return
	}
	old, n := offheap.Load32(&r.more), uint32(0)
	if old != 0 {
		n = e.linkCount(old)
	}
	b := e.blocks.alloc(2 * (n + 1))
	if b == 0 {
		offheap.Store32(&e.exhausted, 1)
		return
	}
	for k := range n {
		e.setLink(b, k, e.linkAt(old, k))
	}
	e.setLink(b, n, l)
	offheap.Store32(&r.more, b)
}
