package shadow

// maxDominated is how many dominated accesses a list keeps beside the ones it must
// keep. They hide no race when dropped; kept, they make the reported pairs of sites
// independent of the schedule.
const maxDominated = 8

// wordyStates is how many states that a strand makes by ranges keep dominated accesses; those that
// it makes later keep none. What many tasks have cut up and written in turns, each element by one of several
// sites, as in a merge sort, would have a state for nearly every element.
const wordyStates = 8

// maxLucky is how many writes of one site a list keeps that precede a later one, but
// not in every schedule, and that no lock keeps apart from it. With more, what is dropped
// is told.
const maxLucky = 256

// A list is compacted on every access while it is short; a longer one whenever it has
// doubled, and later if that was in vain (see inVain), so that n concurrent readers cost O(n)
// altogether.
const shortList = 32

// lately is how many of a list's latest accesses an atomic operation is compared with in vain.
const lately = 16

// ownSearch is how far a long list is searched for the strand's own access.
const ownSearch = 1024

// everySearch is every which search of the kind goes as far as ever, however much was in vain.
const everySearch = 64

// standIns is among how many of a list's latest accesses one is looked for that makes a
// read redundant.
const standIns = 4

// ownSerial is how far any list is searched for it in a serial run: a strand has left
// at most one access of each kind in front of it.
const ownSerial = 4

// maxRacing is how many accesses of its own site, unordered with it, a write leaves in a list.
// Their location is known to race, and with more of them every further write would be compared
// with each. A task whose write was dropped makes pairs by what it does after it, too.
const maxRacing = 128

// after is follow, by a shorter way where there is one, for any state.
func (t *states) after(s State, a *Access, latest uint32, o Order) (next State, full bool) {
	switch {
	case s.isAudience():
		return t.disband(s, a, latest, o)
	case s.isJournal():
		return t.closes(s, a, o)
	}
	if next = t.renew(s, a, latest, o); next != 0 {
		return next, false
	}
	return t.follow(s, a, latest, o)
}

// follow returns the state of a location in state s after access a, having told
// o of every conflict. a.Strand is the current strand of the thread behind o; latest
// is the context of the access that made the location's state.
// Cost: one query per distinct remembered strand; for reads of long lists only
// the writes among them.
func (t *states) follow(s State, a *Access, latest uint32, o Order) (next State, full bool) {
	t.check(s)
	if s == 0 {
		next = t.add(a, 0, 1, o)
		return next, next == 0
	}
	if r := t.at(s); r.length > shortList && r.length < 2*r.compact() {
		switch {
		case a.Op == Read:
			return t.addReader(s, a, latest, o)
		case a.Op.Atomic():
			return t.addAtomic(s, a, latest, o)
		case guarded(r.locks, a, o):
			return t.addGuarded(s, a, latest, o)
		}
	}
	if t.repeats(s, a, t.search) {
		return s, false
	}
	return t.rebuild(s, a, latest, o)
}

// addReader puts a read in front of a long list without looking at the other
// readers: they cannot conflict.
func (t *states) addReader(s State, a *Access, latest uint32, o Order) (State, bool) {
	r := t.at(s)
	if t.repeatsInLong(s, a, o) {
		return s, false
	}
	t.compareWrites(s, a, latest, o)
	if t.redundant(s, a, o) {
		return s, false
	}
	next := t.add(a, s, r.compact(), o)
	return next, next == s
}

// redundant reports whether a read need not be remembered beside one in the list s that
// differs from it in nothing but its strand: whatever will race with the one will race with
// the other.
func (t *states) redundant(s State, a *Access, o Order) bool {
	siteOp := a.siteOp()
	for i := 0; s != 0 && i < standIns; i++ {
		r := t.at(s)
		if r.place == a.Place && r.siteOp == siteOp && r.context == a.Context && o.Outlasted(r.strand) && !o.Precedes(r.strand) {
			return true
		}
		s = r.rest
	}
	return false
}

// addAtomic is addReader for an atomic operation: only plain accesses conflict
// with it. Of the many atomic ones it may be unordered with, recent ones are told, the latest of
// each site.
func (t *states) addAtomic(s State, a *Access, latest uint32, o Order) (State, bool) {
	if t.repeats(s, a, t.glance) {
		return s, false
	}
	var told fewSites
	for i, n := 0, s; n != 0 && i < lately; i++ {
		e := t.at(n)
		if op := e.op(); op.Atomic() && (op.Writes() || a.Op.Writes()) && e.strand != a.Strand && !told.has(e.site()) && !(o.Precedes(e.strand) && o.Certain(e.strand)) {
			o.Unordered(e.access())
			told.add(e.site())
		}
		n = e.rest
	}
	r := t.at(s)
	p := s
	if r.op().Atomic() {
		p = r.plain
	}
	for ; p != 0; p = t.at(p).plain {
		e := t.at(p)
		if e.strand != a.Strand && conflicts(e.op(), a.Op) {
			t.compare(e, r, latest, o)
		}
	}
	next := t.add(a, s, r.compact(), o)
	return next, next == s
}

// fewSites are the latest sites that were added.
type fewSites struct {
	n    int
	list [4]uint32
}

func (f *fewSites) add(site uint32) {
	f.list[f.n%len(f.list)] = site
	f.n++
}

func (f *fewSites) has(site uint32) bool {
	for _, known := range f.list[:min(f.n, len(f.list))] {
		if known == site {
			return true
		}
	}
	return false
}

// compare tells o of the conflicting element r of a list that first is the front of,
// unless it is ordered in every schedule.
func (t *states) compare(r, first *record, latest uint32, o Order) {
	switch {
	case !o.Precedes(r.strand):
		o.Race(t.inContext(r, first, latest))
	case !o.Certain(r.strand):
		o.Luck(t.inContext(r, first, latest))
	}
}

// rebuild checks a against the whole list and returns the list of what must be
// remembered, a in front.
func (t *states) rebuild(s State, a *Access, latest uint32, o Order) (next State, full bool) {
	p := pass{table: t, access: a, asked: o, latest: latest}
	p.terse = !a.single && o.Ranges().readers.about(a.Strand).kept >= t.wordy
	if t.at(s).length <= shortList || !t.newest.lock.TryLock() {
		return p.rebuild(s)
	}
	p.newest = &t.newest
	next, full = p.rebuild(s)
	t.newest.lock.Unlock()
	return next, full
}

func (p *pass) rebuild(s State) (State, bool) {
	t, a := p.table, p.access
	p.judge(s)
	if a.Op == Read && t.redundant(s, a, p.asked) {
		return s, false
	}
	rest, length, again := s, t.at(s).length, uint32(1)
	if a.Op == Read && a.Locks == 0 && p.drops < length/worthwhile {
		again = inVain
	}
	switch {
	case p.drops == 0:
	case length <= longest:
		rest = p.copyInOrder(s)
	case p.drops >= length/worthwhile:
		rest = p.copyReversed(s)
	}
	if rest != s {
		length = t.lengthOf(rest)
	}
	next := t.add(a, rest, min((length+1)*again, MaxStates-1), p.asked)
	if p.full || next == rest {
		return s, true
	}
	return next, false
}

// inContext is the access of r, an element of the list that first is the front
// of. Where several contexts led to r, the location's latest one, if it is known, is
// that of first, and serves for what the same strand did at the same site too (a read
// and a write of one statement). It is not looked at otherwise: another thread may
// have changed the state and not the context yet.
func (t *states) inContext(r, first *record, latest uint32) Access {
	a := r.access()
	if a.Context&Mixed != 0 && latest != 0 && r.strand == first.strand && r.site() == first.site() {
		a.Context = latest
	}
	return a
}

// longest is the length up to which a rebuilt list keeps its order, so that
// equal histories become equal states. Longer ones are too rare to matter.
const longest = 64

// worthwhile is the part of a longer list, one in so many, that must be superfluous for the
// rest to be copied: many concurrent readers stay what they are.
const worthwhile = 4

// inVain is how many times as long as otherwise a list becomes before it is compacted again, when
// that was in vain for a read. Those who take turns under a lock come back, and will forget some.
const inVain = 8

// pass is one walk over a list in rebuild.
type pass struct {
	table  *states
	access *Access
	asked  Order
	latest uint32

	full      bool   // a state could not be made
	told      bool   // Unordered was
	byLuck    bool   // some element precedes by luck
	site      uint32 // of this site last: more of one site say nothing new
	crowded   bool   // something was dropped that is ordered by luck
	racing    int
	lucky     int
	dominated int
	terse     bool   // none are kept
	beside    int    // what dominated was after the first walk
	drops     uint32 // elements that can be forgotten
	dropped   uint64 // which of the first ones; more, if one precedes by luck and more than one is kept beside

	last  Strand // strand asked about last
	order relation

	newest *newest // of a long list: nil for others
}

// forgets reports whether the element r can be forgotten; asked once per element in a walk.
func (p *pass) forgets(r *record) bool {
	return p.newest.follows(r) || !p.keeps(r.strand, r.siteOp, r.locks)
}

// relation is how a remembered strand stands to that of the access.
type relation uint32

const (
	unordered relation = iota
	lucky              // it precedes, in this schedule
	certain            // in every schedule
)

// judge tells the order of every conflict with an element of s and counts the elements
// that can be forgotten.
func (p *pass) judge(s State) {
	first, bit := p.table.at(s), uint64(1)
	p.newest.begin()
	for n := s; n != 0; bit <<= 1 {
		r := p.table.at(n)
		if p.relation(r.strand) != certain {
			p.tell(r, first)
		}
		if p.forgets(r) {
			p.drops++
			p.dropped |= bit
		}
		n = r.rest
	}
	if p.crowded {
		p.asked.Crowded()
	}
	p.beside, p.dominated, p.racing, p.lucky = p.dominated, 0, 0, 0
	if p.beside > 0 && !p.access.single {
		p.asked.Ranges().readers.about(p.access.Strand).kept++
	}
}

// tell tells of the element r of a list that first is the front of, if it conflicts. It does
// not precede for certain.
func (p *pass) tell(r, first *record) {
	switch op, site := r.op(), r.site(); {
	case conflicts(op, p.access.Op) && p.order == unordered:
		p.asked.Race(p.table.inContext(r, first, p.latest))
	case conflicts(op, p.access.Op):
		p.asked.Luck(p.table.inContext(r, first, p.latest))
	case (!p.told || site != p.site) && (op.Writes() || p.access.Op.Writes()):
		p.told, p.site = true, site
		p.asked.Unordered(p.table.inContext(r, first, p.latest))
	}
}

func (p *pass) relation(u Strand) relation {
	if u != p.last {
		p.last = u
		switch {
		case p.access.follows(u, p.asked.Ranges()):
			p.order = certain
		case !p.asked.Precedes(u):
			p.order = unordered
		case !p.asked.Certain(u):
			p.order, p.byLuck = lucky, true
		default:
			p.order = certain
			p.asked.Ranges().learnAhead(u, p.access)
		}
	}
	return p.order
}

// keeps reports whether an access of u, with siteOp as in a record, must or may be remembered beside the access; asked
// once per element in a walk, since it counts the dominated ones.
func (p *pass) keeps(u Strand, siteOp siteOp, locks uint32) bool {
	op, site := siteOp.op(), siteOp.site()
	if u == p.access.Strand || !covers(p.access.Op, op) {
		return true
	}
	if p.relation(u) != certain {
		switch {
		case site != p.access.Site:
			return true
		case p.order == unordered && conflicts(op, p.access.Op):
			p.racing++
			return p.racing <= maxRacing
		case op != Write:
			return true
		}
		return guarded(locks, p.access, p.asked) || p.keepsLucky()
	}
	return p.keepsBehind(op, site, locks)
}

// keepsBehind is keeps for an access of another strand that precedes in every schedule and that
// the access covers.
func (p *pass) keepsBehind(op Op, site, locks uint32) bool {
	if p.access.Locks != 0 && p.access.Locks != locks {
		// What is luck without a lock may be none with it.
		return op != Write || site != p.access.Site || p.keepsLucky()
	}
	most := maxDominated
	switch {
	case p.terse:
		most = 0
	case p.byLuck:
		most = 1 // lists have entries of every task by then
	}
	return keepsDominated(&p.dominated, most, site, p.access.Site)
}

// keepsDominated reports whether an access of a site is kept beside a later one, of the site own,
// that makes it superfluous; n, most at most, have been kept before.
//
//go:nosplit
func keepsDominated(n *int, most int, site, own uint32) bool {
	if site == own || *n >= most {
		return false
	}
	*n++
	return true
}

// keepsLucky is keeps for one more write of the access's site.
func (p *pass) keepsLucky() bool {
	p.lucky++
	p.crowded = p.crowded || p.lucky > maxLucky
	return p.lucky <= maxLucky
}

// copyInOrder drops what can be forgotten of s. What lies behind the last dropped
// element is shared, not copied.
func (p *pass) copyInOrder(s State) State {
	var kept [longest]State
	n, dropped := 0, 0
	rest := s
	drops := p.dropped
	if p.byLuck && p.beside > 1 {
		drops = p.superfluous(s)
	}
	for ; drops != 0; drops >>= 1 {
		next := p.table.at(s).rest
		if drops&1 == 0 {
			kept[n] = s
			n++
		} else {
			dropped, rest = n, next
		}
		s = next
	}
	for n = dropped; n > 0; {
		n--
		rest = p.push(kept[n], rest)
	}
	return rest
}

// superfluous is which elements of s can be forgotten.
func (p *pass) superfluous(s State) (drops uint64) {
	p.newest.begin()
	for bit := uint64(1); s != 0; bit <<= 1 {
		r := p.table.at(s)
		if p.forgets(r) {
			drops |= bit
		}
		s = r.rest
	}
	return drops
}

func (p *pass) copyReversed(s State) State {
	rest := State(0)
	p.newest.begin()
	for ; s != 0; s = p.table.at(s).rest {
		if !p.forgets(p.table.at(s)) {
			rest = p.push(s, rest)
		}
	}
	return rest
}

func (p *pass) push(s, rest State) State {
	length := uint32(1)
	if rest != 0 {
		length += p.table.at(rest).length
	}
	a := p.table.at(s).access()
	next := p.table.pushBy(p.access, &a, rest, length)
	p.full = p.full || next == rest
	return next
}
