package jointree

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// A family is a task and its children. Strands of a family are in the order of where
// they, or their tasks, leave the parent. If no link covers them, one strand implies
// another if it is an earlier one of the same task, or if it is the parent's and left
// of the other. So short fronts about one family are merged like vector clocks, in one
// pass: that is what a pipeline of siblings does at each message, and who starts one and
// waits at its end, once its children have as many links as those who run may have.

// familyFront is the most strands of a front that is merged so.
const familyFront = 12

// ranked is a strand of a family and where it stands: all strands of one child in one
// place, those of the parent between children.
type ranked struct {
	rank   uint64
	strand reach.Strand
}

// ofParent reports whether r is a strand of the parent. Whatever is right of that
// knows it.
func (r ranked) ofParent() bool { return r.rank%2 == 0 }

// family is the acquire of a child, or of the parent: its strands, those to be learned and what it
// knows after it.
type family struct {
	parent  uint32
	own     reach.Task // the acquirer
	before  uint64     // what ranks lower and is the parent's, the acquirer knows
	news    bool
	whole   bool // all of list is of one family
	learned uint32
	n       uint32
	last    ranked // list[n-1], if n > 0
	learn   [familyFront + 1]ranked
	list    [2*familyFront + 1]reach.Strand
}

// ranked ranks u; it is not ok if u is not of the family of parent, has a link or is in a chain.
func (e *Engine) ranked(u reach.Strand, parent uint32) (r ranked, ok bool) {
	c := uint32(u.Task())
	if c == parent {
		return ranked{2 * uint64(u.Index()), u}, true
	}
	t := e.task(c)
	return ranked{2*uint64(t.fork) + 1, u}, t.parent == parent && !t.succeeds() && (offheap.Load32(&t.has) == 0 || !e.covered(t, u.Index()))
}

// covered reports whether a link of t, which has one, is about strand i.
func (e *Engine) covered(t *task, i uint32) bool {
	more := offheap.Load32(&t.more)
	return more == 0 && i <= t.first.upTo || more != 0 && i <= e.linkAt(more, e.linkCount(more)-1).upTo
}

// plain is front f, which may be 0, as a list; it is not ok if f is long or has a trunk.
func (e *Engine) plain(f uint32) (list []reach.Strand, ok bool) {
	if f == 0 {
		return nil, true
	}
	h := *e.blocks.words.At(f)
	n := uint32(h)
	if n > familyFront || h&headerTrunk != 0 {
		return nil, false
	}
	return unsafe.Slice((*reach.Strand)(unsafe.Pointer(e.blocks.words.At(f+1))), n), true
}

// acquireOne is an acquire of nd alone; it reports whether a strand began.
func (e *Engine) acquireOne(g *gather, nd node) (news bool) {
	if !e.mayFollow(g, nd.task, nd.front) {
		if news, ok := e.acquireInFamily(g, nd); ok {
			return news
		}
	}
	if g.front == 0 || e.knownTo(e.tip(g.front), nd.handle()) {
		g.tip = reach.StrandOf(reach.Task(nd.task), nd.index)
	}
	e.learn(g, nd.task, nd.index, nd.front)
	return e.finish(g)
}

// acquireInFamily is acquireOne if both sides' fronts are short and of the acquirer's
// family; otherwise it is not ok and nothing has happened.
func (e *Engine) acquireInFamily(g *gather, nd node) (news, ok bool) {
	old, ok := e.plain(g.front)
	learnt, short := e.plain(nd.front)
	t := e.task(g.t)
	if !ok || !short || nd.task == g.t {
		return false, false
	}
	parent := t.parent
	switch {
	case e.task(nd.task).parent == g.t:
		parent = g.t
	case parent == 0 || t.succeeds():
		return false, false
	}
	if nd.front == g.front {
		learnt = nil
	}
	kin := g.front != 0 && *e.blocks.words.At(g.front)&headerFamily != 0
	if kin {
		if news, ok := e.catchUp(g, nd, learnt, old); ok {
			return news, true
		}
	}
	m := family{parent: parent, own: reach.Task(g.t), before: 2*uint64(t.fork) + 1}
	if !e.gatherFamily(&m, reach.StrandOf(reach.Task(nd.task), nd.index), learnt) || !e.mergeFamily(&m, old) || m.n > e.maxPlain {
		return false, false
	}
	if m.news {
		e.knowsFamily(g, m.list[:m.n], m.whole || kin)
	}
	return m.news, true
}

// knowsFamily begins the strand of g with the front list; whole says that all of that is of one family.
func (e *Engine) knowsFamily(g *gather, list []reach.Strand, whole bool) {
	front := e.blocks.alloc(uint32(len(list)))
	if front == 0 {
		front = e.orOld(g, 0, false)
	} else {
		copy(e.elements(front), list)
		if whole {
			*e.blocks.words.At(front) |= headerFamily
		}
	}
	offheap.Release64(&e.task(g.t).current, uint64(front)<<32|uint64(g.q))
}

// gatherFamily puts strand u and its front in order, without what the acquirer knows by
// the tree. It is not ok if there are strands that are not of the family, or that the parent may
// link.
func (e *Engine) gatherFamily(m *family, u reach.Strand, front []reach.Strand) (ok bool) {
	released, ok := e.toRank(m, u)
	if !ok {
		return false
	}
	pending := true
	for _, s := range front {
		if s.Task() == m.own {
			continue
		}
		r, ok := e.toRank(m, s)
		if !ok {
			return false
		}
		if pending && released.rank < r.rank {
			m.toLearn(released)
			pending = false
		}
		m.toLearn(r)
	}
	if pending {
		m.toLearn(released)
	}
	return true
}

// catchUp is acquireInFamily for an acquirer whose front, of one family, names all tasks that are
// to be learned about, in the same order: those who exchange messages mostly learn that others
// have come further. It is not ok if there is more to it. Ranks, for which one needs the records of
// all these tasks, are not looked at: a later strand of a child is where the one before was, and a
// strand of the parent is the last of such a front, as what is right of one knows it.
func (e *Engine) catchUp(g *gather, nd node, learnt, old []reach.Strand) (news, ok bool) {
	f := further{own: g.t, n: len(old)}
	copy(f.list[:], old)
	at := 0
	for at < f.n && uint32(f.list[at].Task()) != nd.task {
		at++
	}
	if !e.comes(&f, at, reach.StrandOf(reach.Task(nd.task), nd.index)) {
		return false, false
	}
	at = 0
	for _, u := range learnt {
		if uint32(u.Task()) == g.t {
			continue
		}
		for at < f.n && f.list[at].Task() != u.Task() {
			at++
		}
		if !e.comes(&f, at, u) {
			return false, false
		}
	}
	if f.news && uint32(f.n) > e.maxPlain {
		return false, false
	}
	if f.news {
		e.knowsFamily(g, f.list[:f.n], true)
	}
	return f.news, true
}

// further is what an acquirer knows, who catches up.
type further struct {
	own  uint32
	n    int
	news bool
	list [familyFront]reach.Strand
}

// comes says that u's task, of which list[at] is a strand if there is one, has come as far as u.
func (e *Engine) comes(f *further, at int, u reach.Strand) (ok bool) {
	switch {
	case at == f.n:
		return false
	case u <= f.list[at]:
		return true
	}
	t := e.task(uint32(u.Task()))
	switch {
	case offheap.Load32(&t.has) != 0 && e.covered(t, u.Index()):
		return false
	case t.parent == f.own && !e.isFull(t): // as in toRank
		return false
	}
	f.list[at], f.news = u, true
	return true
}

// toRank is ranked for a strand to be learned, which is not the acquirer's.
func (e *Engine) toRank(m *family, u reach.Strand) (r ranked, ok bool) {
	r, ok = e.ranked(u, m.parent)
	return r, ok && (uint32(m.own) != m.parent || e.isFull(e.task(uint32(u.Task()))))
}

func (m *family) toLearn(r ranked) {
	if r.ofParent() && r.rank < m.before {
		return
	}
	m.learn[m.learned] = r
	m.learned++
}

// mergeFamily merges what was gathered with the acquirer's front. It is not ok if what
// they are compared with is not of the family.
func (e *Engine) mergeFamily(m *family, old []reach.Strand) (ok bool) {
	var next ranked // old[0]
	if len(old) > 0 {
		if next, ok = e.ranked(old[0], m.parent); !ok {
			return false
		}
	}
	for k := range m.learned {
		r := m.learn[k]
		for len(old) > 0 && next.rank < r.rank {
			m.keep(next)
			if old = old[1:]; len(old) > 0 {
				if next, ok = e.ranked(old[0], m.parent); !ok {
					return false
				}
			}
		}
		known := len(old) > 0 && (r.ofParent() || next.rank == r.rank && next.strand >= r.strand)
		if known {
			continue
		}
		m.news = true
		m.keep(r)
		if len(old) > 0 && next.rank == r.rank {
			if old = old[1:]; len(old) > 0 {
				if next, ok = e.ranked(old[0], m.parent); !ok {
					return false
				}
			}
		}
	}
	// What follows is to the right of all that was compared.
	m.whole = len(old) == 0
	m.n += uint32(copy(m.list[m.n:], old))
	return true
}

// keep adds r to what the acquirer knows after the acquire.
func (m *family) keep(r ranked) {
	if m.n > 0 && m.last.ofParent() {
		m.n--
	}
	m.list[m.n] = r.strand
	m.last = r
	m.n++
}
