package jointree

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// scratches is how many acquires may merge fronts at one time.
const scratches = 4

// scratch is working space in which fronts are merged.
type scratch struct {
	lock        offheap.Lock
	n           uint32 // strands in list
	limit       uint32 // of n, before list must be sorted and pruned
	list, spare offheap.Table[reach.Strand]
}

// A pruned list has at most one strand per task, so half of limit is free
// after a prune, and there is always room for one front more.
func (s *scratch) init(maxTasks uint32) {
	s.list.Init(3*maxTasks + 8)
	s.spare.Init(3*maxTasks + 8)
	s.n, s.limit = 0, 2*maxTasks+4
}

// borrow returns an empty scratch for the caller alone.
func (e *Engine) borrow(hint uint32) *scratch {
	for k := hint; ; k++ {
		if s := &e.scratch[k%scratches]; s.lock.TryLock() {
			s.n = 0
			return s
		}
		if k-hint >= 8*scratches {
			offheap.Yield()
		}
	}
}

// push adds u to s.
func (e *Engine) push(s *scratch, u reach.Strand) {
	if s.n >= s.limit {
		e.sort(s)
		lo := e.prune(s)
		for k := lo; k < s.n; k++ {
			*s.list.At(k - lo) = *s.list.At(k)
		}
		s.n -= lo
	}
	*s.list.At(s.n) = u
	s.n++
}

// pushFrontAfter adds the elements of front f, which may be 0, but for those of front last, of
// runs that were added before, and of runs of which top, which was added, knows all that they say.
func (e *Engine) pushFrontAfter(s *scratch, f, last uint32, top Handle, seen *trunks) {
	if f == 0 {
		return
	}
	var known []reach.Strand
	if last != 0 {
		known = e.elements(last)
	}
	e.pushBut(s, e.elements(f), known)
	for run := e.trunk(f); run != 0 && !e.knownToTop(e.tip(run), top) && !seen.meets(run); run = e.nextRun(run) {
		e.pushBut(s, e.elements(run), nil)
	}
}

// pushBut adds the strands of a sorted list that are not in the sorted list known.
func (e *Engine) pushBut(s *scratch, list, known []reach.Strand) {
	for _, u := range list {
		if len(known) > 0 && known[0] != u {
			known = known[e.skip(known, u):]
		}
		if len(known) > 0 && known[0] == u {
			known = known[1:]
			continue
		}
		e.push(s, u)
	}
}

// sort puts the list in depth-first order by merging its ascending runs: it
// is mostly made of fronts, which are sorted. Of runs side by side, each is at most half as
// long as the one before when the next is looked for, so that a long one is not merged with
// each of many short ones.
func (e *Engine) sort(s *scratch) {
	var runs [33]uint32 // where they begin
	n := 0
	for lo, hi := uint32(0), uint32(0); lo < s.n; lo = hi {
		hi = e.runEnd(s, lo)
		runs[n] = lo
		for n++; n > 1 && 2*(hi-runs[n-1]) > runs[n-1]-runs[n-2]; n-- {
			e.mergeRuns(s, runs[n-2], runs[n-1], hi)
		}
	}
	for ; n > 1; n-- {
		e.mergeRuns(s, runs[n-2], runs[n-1], s.n)
	}
}

// runEnd is the end of the ascending run that begins at lo.
func (e *Engine) runEnd(s *scratch, lo uint32) uint32 {
	k := lo + 1
	for k < s.n && !e.less(*s.list.At(k), *s.list.At(k - 1)) {
		k++
	}
	return k
}

// mergeRuns merges list[lo:mid] and list[mid:hi], by way of spare.
func (e *Engine) mergeRuns(s *scratch, lo, mid, hi uint32) {
	a, b := lo, mid
	for k := lo; k < hi; k++ {
		if b == hi || a < mid && !e.less(*s.list.At(b), *s.list.At(a)) {
			*s.spare.At(k) = *s.list.At(a)
			a++
		} else {
			*s.spare.At(k) = *s.list.At(b)
			b++
		}
	}
	copy(unsafe.Slice(s.list.At(lo), hi-lo), unsafe.Slice(s.spare.At(lo), hi-lo))
}

// prune drops duplicates and strands that their right neighbour implies from a
// sorted list. What is left is list[lo:n]. It saves space only: a front that
// implies one of its own elements answers the same.
func (e *Engine) prune(s *scratch) (lo uint32) {
	lo = s.n
	for k := s.n; k > 0; k-- {
		u := *s.list.At(k - 1)
		if lo < s.n {
			v := *s.list.At(lo)
			if e.implied(uint32(u.Task()), u.Index(), uint32(v.Task()), v.Index()) {
				continue
			}
		}
		lo--
		*s.list.At(lo) = u
	}
	return lo
}

// gather is one acquire in progress: strand (t, q) is about to start, and the
// one before it has the given front.
type gather struct {
	t, q, front uint32
	last        uint32       // the front offered last
	basis       uint32       // what the new front grows from
	other       uint32       // another front that it includes
	learned     bool         // something was new
	settled     bool         // others may know the strand before the new one
	tip         reach.Strand // that of what is learned, if the strand before knew no more; 0 unknown
	s           *scratch     // what could not be linked; nil while there is nothing
	top         Handle       // of the strands whose fronts were learned that which knows most; no task while there is none
	trunks      *trunks      // whose strands were looked at; nil if there is no more than one front
}

func (e *Engine) begin(t uint32) gather {
	c := e.task(t).current
	invariants.Assert(uint32(c) != ^uint32(0), "jointree: more than 2^32 strands in a task")
	return gather{t: t, q: uint32(c) + 1, front: uint32(c >> 32), basis: uint32(c >> 32)}
}

// before is the strand before the new one.
func (g *gather) before() Handle {
	return Handle{Task: reach.Task(g.t), Index: g.q - 1, Front: g.front}
}

// tipOf is the tip of the new front.
func (e *Engine) tipOf(g *gather) reach.Strand {
	if g.tip != 0 {
		return g.tip
	}
	return reach.StrandOf(reach.Task(g.t), g.q)
}

// learn makes strand (c, i), whose front is f, and all before it precede the
// new strand.
func (e *Engine) learn(g *gather, c, i, f uint32) {
	if e.knows(g, c, i) {
		return
	}
	g.learned = true
	if !e.mayFollow(g, c, f) || !e.follow(g, c, i) {
		e.offer(g, c, i)
	}
	if f != 0 && f != g.front && f != g.last {
		h := Handle{Task: reach.Task(c), Index: i, Front: f}
		e.learnFront(g, h)
		g.last, g.top = f, e.topOf(g.top, h)
	}
}

// learnFront makes the elements of the front of h, which is not 0, precede the new strand; h
// has no task if nothing but the front is learned. Where versions or tips tell that the front
// or the basis includes the other, or its trunk, only what they do not tell about is looked at.
func (e *Engine) learnFront(g *gather, h Handle) {
	f := h.Front
	told, news := f, uint32(0)
	for told != 0 && !e.told(g, told) {
		news += uint32(len(e.elements(told)))
		told = e.nextRun(told)
	}
	if told == f {
		return
	}
	if trunk := e.trunk(f); trunk != 0 && !e.inside(g.t, e.elements(trunk)) { // a join: elements become links
		if known, own := e.beyond(h, g.basis); own < news {
			e.adopt(g, f, known, told)
			return
		}
	}
	e.learnList(g, e.elements(f))
	for run := e.trunk(f); run != told && !g.trunks.meets(run); run = e.nextRun(run) {
		e.learnList(g, e.elements(run))
	}
	g.other = f
}

// told reports whether the new strand knows what block b, a front or a run, and the runs after
// it say.
func (e *Engine) told(g *gather, b uint32) bool {
	return e.includes(g.before(), b) || e.knownToTop(e.tip(b), g.top) || e.claims(g.other, e.ownVersion(b)) ||
		g.basis != g.front && e.includes(Handle{Front: g.basis}, b)
}

// inside reports whether the middle of a list is about a descendant of t.
func (e *Engine) inside(t uint32, list []reach.Strand) bool {
	c := uint32(list[len(list)/2].Task())
	return c != t && e.lift(c, e.task(t).depth) == t
}

// adopt makes front f the new basis; whose it is knows what the basis says from block known on, and
// the new strand what f says from block told on.
func (e *Engine) adopt(g *gather, f, known, told uint32) {
	if !g.learned && !e.isNews(g, f, told) {
		return
	}
	g.learned = true
	for b := g.basis; b != known; b = e.nextRun(b) {
		for _, u := range e.elements(b) {
			e.add(g, u)
		}
	}
	g.other, g.basis = g.basis, f
}

// isNews reports whether front f, before block told, says anything unknown.
func (e *Engine) isNews(g *gather, f, told uint32) bool {
	for ; f != told; f = e.nextRun(f) {
		for _, u := range e.elements(f) {
			if !e.knows(g, uint32(u.Task()), u.Index()) {
				return true
			}
		}
	}
	return false
}

// learnList makes the strands of a sorted list, whose predecessors come on their own,
// precede the new strand. The list is compared with the old front in one pass: most
// strands are often in that too, or earlier ones of tasks in it.
func (e *Engine) learnList(g *gather, list []reach.Strand) {
	var own cursors
	for b := g.front; b != 0; b = e.nextRun(b) {
		own.lists[own.n] = e.elements(b)
		own.n++
	}
	for _, u := range list {
		if e.passes(&own, u) || e.implied(uint32(u.Task()), u.Index(), g.t, g.q) {
			continue
		}
		g.learned = true
		e.offer(g, uint32(u.Task()), u.Index())
	}
}

// cursors are what is left of the lists of a front when strands in depth-first order
// are looked for in it.
type cursors struct {
	n     int
	lists [maxLists][]reach.Strand
}

// passes is inFront of u, which is not left of those before it.
func (e *Engine) passes(own *cursors, u reach.Strand) bool {
	lists := own.lists[:own.n]
	for k, list := range lists {
		if len(list) > 0 && list[0] == u {
			lists[k] = list[1:]
			return true
		}
	}
	for k, list := range lists {
		lists[k] = list[e.skip(list, u):]
		if e.inRest(lists[k], uint32(u.Task()), u.Index()) {
			return true
		}
	}
	return false
}

func (e *Engine) knows(g *gather, c, i uint32) bool {
	return e.implied(c, i, g.t, g.q) || g.front != 0 && e.inFront(g.front, c, i)
}

func (e *Engine) offer(g *gather, c, i uint32) {
	if !e.absorb(c, i, g.t, g.q) {
		e.add(g, reach.StrandOf(reach.Task(c), i))
	}
}

// add makes u an element of the new front.
func (e *Engine) add(g *gather, u reach.Strand) {
	if g.s == nil {
		g.s = e.borrow(g.t)
	}
	e.push(g.s, u)
}

// sources are the fronts that the new one includes: the task's own before it
// and what it learned, either may be 0.
func (g *gather) sources() (own, learnt uint32) {
	if g.basis != g.front {
		return g.other, g.basis
	}
	return g.basis, g.other
}

// finish starts the new strand if anything was learned and reports it.
func (e *Engine) finish(g *gather) bool {
	if !g.learned {
		return false
	}
	front := g.basis
	if g.s != nil {
		front = e.mergeFront(g)
		g.s.lock.Unlock()
	}
	// One store: AcquireAll of another task must not see one without the other.
	offheap.Release64(&e.task(g.t).current, uint64(front)<<32|uint64(g.q))
	return true
}

// mergeFront returns the front of the new strand: the basis and what was
// gathered. It shares the trunk of the basis until the delta is full.
func (e *Engine) mergeFront(g *gather) uint32 {
	s := g.s
	e.sort(s)
	if g.basis != g.front {
		e.dropKnown(s, g.basis)
	}
	trunk := e.trunk(g.basis)
	if trunk == 0 {
		return e.mergePlain(g)
	}
	if s.n == 0 {
		return g.basis
	}
	e.insertInto(s, e.elements(g.basis))
	if s.n > e.maxDelta {
		return e.mergeTrunk(g, trunk)
	}
	own, learnt := g.sources()
	front, ok := e.grow(trunk, unsafe.Slice(s.list.At(0), s.n), e.tipOf(g), own, learnt)
	return e.orOld(g, front, ok)
}

// mergePlain is mergeFront for a basis without a trunk.
func (e *Engine) mergePlain(g *gather) uint32 {
	s := g.s
	if g.basis != 0 {
		old := e.elements(g.basis)
		n := uint32(len(old))
		if s.n <= 4 || s.n <= n/8 {
			e.insertInto(s, old)
			// What facts have made superfluous since is looked for when the
			// front doubles, which is often enough.
			if classOf(s.n) <= classOf(n) {
				return e.store(g, 0, 0)
			}
		} else {
			for _, u := range old {
				e.push(s, u)
			}
			e.sort(s)
		}
	}
	return e.store(g, e.relink(g), 0)
}

// mergeTrunk is mergeFront for what, with the delta, is too long for one: it becomes a run, together
// with those of the trunk that are not longer than a run may be in its place. The place of a run
// is after those of all shorter ones, also when it has shrunk since.
func (e *Engine) mergeTrunk(g *gather, run uint32) uint32 {
	s, first, lo := g.s, e.maxDelta*e.growth, uint32(0)
	room := e.roomFor(s.n, first)
	for run != 0 && uint32(len(e.elements(run))) <= room {
		e.insertInto(s, e.elements(run))
		run, room = e.nextRun(run), e.roomFor(s.n, room)
	}
	if room > first { // from time to time, as in mergePlain
		lo = e.relink(g)
	}
	return e.store(g, lo, run)
}

// roomFor is how long a run may be in the place of one of n strands, if that is not before the
// place with the given room.
func (e *Engine) roomFor(n, room uint32) uint32 {
	for n > room {
		room *= e.growth
	}
	return room
}

// relink prunes what was gathered and takes out what tree and links imply by
// now, and what can be linked now. What is left is list[kept:n].
func (e *Engine) relink(g *gather) (kept uint32) {
	s := g.s
	lo, depth := e.prune(s), e.task(g.t).depth
	kept = s.n
	for k := s.n; k > lo; k-- {
		u := *s.list.At(k - 1)
		c, i := uint32(u.Task()), u.Index()
		if e.task(c).depth > depth && (e.implied(c, i, g.t, g.q) || e.absorb(c, i, g.t, g.q)) {
			continue
		}
		kept--
		*s.list.At(kept) = u
	}
	return kept
}

// dropKnown takes out of s what front f implies.
func (e *Engine) dropKnown(s *scratch, f uint32) {
	n := uint32(0)
	for k := range s.n {
		u := *s.list.At(k)
		if !e.inFront(f, uint32(u.Task()), u.Index()) {
			*s.list.At(n) = u
			n++
		}
	}
	s.n = n
}

// store stores what was gathered, from lo on, and the runs from rest on, as a front.
func (e *Engine) store(g *gather, lo, rest uint32) uint32 {
	own, learnt := g.sources()
	front, ok := e.newFront(g.s, lo, rest, e.tipOf(g), own, learnt)
	return e.orOld(g, front, ok)
}

// orOld is the new front; when there was no room for it the old one must do.
func (e *Engine) orOld(g *gather, front uint32, ok bool) uint32 {
	if !ok {
		offheap.Store32(&e.exhausted, 1)
		return g.front
	}
	return front
}

// insertInto merges the sorted list with the sorted old one, in time
// logarithmic in the old one but for the copying. A neighbour still never
// implies the one to its left, if that was so in both.
func (e *Engine) insertInto(s *scratch, old []reach.Strand) {
	merged := unsafe.Slice(s.spare.At(0), s.spare.Max())
	n := 0
	for k := range s.n {
		u := *s.list.At(k)
		lo := e.search(old, u)
		n += copy(merged[n:], old[:lo])
		old = old[lo:]
		if len(old) > 0 && e.implied(uint32(u.Task()), u.Index(), uint32(old[0].Task()), old[0].Index()) {
			continue
		}
		for n > 0 && e.implied(uint32(merged[n-1].Task()), merged[n-1].Index(), uint32(u.Task()), u.Index()) {
			n--
		}
		merged[n] = u
		n++
	}
	s.n = uint32(n + copy(merged[n:], old))
	s.list, s.spare = s.spare, s.list
}
