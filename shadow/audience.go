package shadow

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
)

// An audience is the state of one byte that ever more concurrent strands read: the list
// rest, in front of it the readers. Unlike a list it belongs to that byte alone and grows
// in place, by one exchange, where a list would be looked up or made anew for each reader:
// among many bytes read at random hardly two have the same readers, or their readers in
// the same order.
//
// It says what the list with all its readers in front would say: who would do more to that
// list than be put in front of it closes the audience, so that it is complete and nobody
// joins it any more, and goes on with that list. A reader that joins has looked at all who
// came before, and at rest, so an access and its check are one step here too.
//
// What a memo says of an audience stays true while it grows: an access that changes nothing
// is one whose strand has made such an access already.
type audience struct {
	rest    State
	depth   uint32     // how many audiences are behind, all of them full
	mark    uint32     // the last collection that reached it
	readers [13]uint32 // atomic: as they came, then 0 while there is room, closed afterwards
}

// closed is in an audience that nobody can join any more.
const closed = ^uint32(0)

// reader is a read: what all audiences that it is in have in common.
type reader struct {
	strand  Strand
	place   uint32
	site    uint32
	context uint32
	locks   uint32
	mark    uint32 // the last collection that reached it
}

func (r *reader) access() Access {
	return Access{Strand: r.strand, Place: r.place, Context: r.context, Site: r.site, Op: Read, Locks: r.locks}
}

const (
	maxAudiences  = 1 << 21
	maxReaders    = 1 << 20
	firstAudience = firstRoll - maxAudiences // states from here on are audiences, before rolls

	deepest = 3 // audiences behind one another; with more readers they are a list
	// wideReads is how many reads of a strand must have made other states before it makes
	// audiences: what many bytes share is cheaper as a list.
	wideReads = 64
	wideList  = 2 // the length of a list that becomes an audience
	noReads   = ^uint32(0)
)

// audiences is the table of audiences and their readers.
type audiences struct {
	offheap.Table[audience]
	readers offheap.Table[reader]
	wide    uint32       // wideReads, but in tests and in serial runs, where it is noReads
	limit   uint32       // audiences to use at most
	lock    offheap.Lock // guards the rest
	own     pool         // of audiences
	all     pool         // of readers
}

func (p *audiences) init(limit uint32) {
	p.Table.Init(maxAudiences)
	p.readers.Init(maxReaders)
	p.wide, p.limit = wideReads, min(limit, maxAudiences)
}

// readersBytes is the memory used by readers.
func (p *audiences) readersBytes() uint64 {
	return uint64(offheap.Load32(&p.all.used)) * uint64(unsafe.Sizeof(reader{}))
}

// Eager lets every strand make audiences, rolls and journals from its first access on. Tests want
// that: it is said before the first access.
func (h *History) Eager() {
	h.states.audiences.wide, h.states.rolls.scatter, h.states.journals.news = 0, 0, 0
}

// KeepAll lets strands keep dominated accesses in however many states they make. Tests that compare
// what is remembered want that: it is said before the first access.
func (h *History) KeepAll() { h.states.wordy = never }

//go:nosplit
func (s State) isAudience() bool { return s-firstAudience < maxAudiences }

//go:nosplit
func (t *states) audience(s State) *audience { return t.audiences.At(uint32(s - firstAudience)) }

// newAudience is an audience of one reader in front of rest, 0 when there is no room.
func (t *states) newAudience(rest State, depth, first uint32) State {
	p := &t.audiences
	p.lock.Lock()
	high := p.own.high
	id := p.own.take(p.limit, p.link)
	if id == sparse && id > high {
		offheap.PreferHuge(unsafe.Pointer(p.At(sparse)), (maxAudiences-sparse)*unsafe.Sizeof(audience{}))
	}
	p.lock.Unlock()
	if id == 0 {
		return 0
	}
	*p.At(id) = audience{rest: rest, depth: depth, readers: [13]uint32{first}}
	return firstAudience + State(id)
}

// link is where an audience that is free has the id of the next.
func (p *audiences) link(id uint32) *uint32 { return (*uint32)(&p.At(id).rest) }

// readerLink is link for readers.
func (p *audiences) readerLink(id uint32) *uint32 { return &p.readers.At(id).place }

// newReader is the id of a reader, 0 when there is no room.
func (t *states) newReader(a *Access) uint32 {
	p := &t.audiences
	p.lock.Lock()
	id := p.all.take(maxReaders, p.readerLink)
	p.lock.Unlock()
	if id != 0 {
		*p.readers.At(id) = reader{strand: a.Strand, place: a.Place, site: a.Site, context: a.Context, locks: a.Locks}
	}
	return id
}

// attendance is what a thread remembers of the strand whose reads it makes. It must be
// forgotten in a collection. It is no larger because 3072 threads with all their memos are to
// fit into what Go's race detector can see, 40 KB each.
type attendance struct {
	strand  Strand
	news    uint32    // reads that made another state of a list
	made    uint32    // accesses that did, see opens
	near    uint16    // how much less far than ever own accesses are looked for, see repeatsInLong
	sought  uint16    // how many were
	kept    uint32    // states made by ranges that keep dominated accesses, see wordyStates
	many    bool      // it made many of these, for its accesses
	alone   bool      // an earlier strand did, and none since came to two bytes alike
	jumps   int32     // see scatters; below 0 also what earlier strands were fined
	turn    uint32    // of recent
	recent  [4]uint32 // lines that it wanted to split by reads
	strides [4]uint32 // from the line before to each
	before  State     // of the access that opened a journal last
	known   Strand    // whose the rest is
	own     [16]seat
	beside  [256]uint32 // readers that it is unordered with
	orders  [64]Strand  // of lists: see asked
}

// seat is the strand as a reader.
type seat struct{ id, place, site, context uint32 }

// about returns the memo of the strand that makes a read.
//
//go:nosplit
func (m *attendance) about(u Strand) *attendance {
	if m.strand != u {
		m.jumps = min(m.jumps, 0)
		m.alone = m.alone || m.many
		m.strand, m.news, m.made, m.many, m.kept, m.before = u, 0, 0, false, 0, 0
	}
	return m
}

// attend is next for a read of one byte of a cell in state old, if that is an audience, or one
// is made for the byte, and the read does no more than join it; otherwise 0. s.joined says
// that it joined one that was there.
// Cost: a look at all readers, and per strand and reader one query.
func (s *step) attend(old State) State {
	t := &s.history.states
	if !s.one || s.cell == nil || t.audiences.wide == noReads {
		return 0
	}
	if m := s.order.Ranges().readers.about(s.access.Strand); !old.isAudience() && (m.news < t.audiences.wide || t.at(old).length < wideList) {
		return 0
	}
	m := s.attends()
	s.order.At(0) // what is remembered holds at any address
	if !old.isAudience() {
		switch s.behind(old, m) {
		case joins:
			if own := s.seat(m); own != 0 {
				return t.newAudience(old, 0, own)
			}
		case differs:
			m.news = 0 // most likely its next reads do too
		}
		return 0
	}
	b := t.audience(old)
	rest := b.rest
	for ; rest.isAudience(); rest = t.audience(rest).rest {
		for i := range b.readers {
			switch s.beside(t.audience(rest).readers[i], m) {
			case repeats:
				return old
			case differs:
				return 0
			}
		}
	}
	switch s.behind(rest, m) {
	case repeats:
		return old
	case differs:
		return 0
	}
	return s.join(old, b, m)
}

// attends returns what the thread remembers of the strand of the access, which is a read.
func (s *step) attends() *attendance {
	m := s.order.Ranges().readers.about(s.access.Strand)
	if m.known != m.strand {
		m.known = m.strand
		clear(m.own[:])
		clear(m.beside[:])
		clear(m.orders[:])
	}
	return m
}

// strays counts that the access made another state, if it is a read of one byte.
func (s *step) strays() {
	if s.one {
		s.order.Ranges().readers.about(s.access.Strand).news++
	}
}

// join puts the access behind the readers of the audience b, the state old, of which it has
// seen what they came to.
func (s *step) join(old State, b *audience, m *attendance) State {
	own := uint32(0)
	for i := 0; i < len(b.readers); {
		switch r := offheap.Load32(&b.readers[i]); {
		case r == 0:
			if own = s.seat(m); own == 0 {
				return 0
			}
			if offheap.CAS32(&b.readers[i], 0, own) {
				s.joined = true
				return old
			}
		case r == closed:
			return 0
		default:
			switch s.beside(r, m) {
			case repeats:
				return old
			case differs:
				return 0
			}
			i++
		}
	}
	if own = s.seat(m); own == 0 || b.depth == deepest {
		return 0
	}
	return s.history.states.newAudience(old, b.depth+1, own)
}

// seat is the id of the access as a reader.
func (s *step) seat(m *attendance) uint32 {
	a := s.access
	e := &m.own[(a.Place^a.Context*7)%uint32(len(m.own))]
	if e.id == 0 || e.place != a.Place || e.site != a.Site || e.context != a.Context {
		*e = seat{s.history.states.newReader(a), a.Place, a.Site, a.Context}
	}
	s.reader = e.id
	return e.id
}

// role is what a read is beside one that is remembered, or a list.
type role uint32

const (
	differs role = iota // more than the following, perhaps
	repeats             // nothing new: its strand did as much
	joins               // one more to remember; nothing is told or can be forgotten
)

// beside is the role of the access beside r.
func (s *step) beside(r uint32, m *attendance) role {
	e := &m.beside[r%uint32(len(m.beside))]
	if *e == r {
		return joins
	}
	u := s.history.states.audiences.readers.At(r).strand
	if u == m.strand {
		return repeats
	}
	if s.order.Precedes(u) {
		return differs
	}
	*e = r
	return joins
}

// behind is the role of the access behind a list: it joins if all writes there precede it in
// every schedule, and all reads are unordered with it.
func (s *step) behind(list State, m *attendance) role {
	if s.history.states.repeatsInLong(list, s.access, s.order) {
		return repeats
	}
	for l := list; l != 0; l = s.history.states.at(l).rest {
		r := s.history.states.at(l)
		e := m.order(r.strand)
		if *e == asked(r) {
			continue
		}
		before := r.strand != m.strand && s.order.Precedes(r.strand)
		if before != r.op().Writes() || before && !s.order.Certain(r.strand) {
			return differs
		}
		if r.strand != m.strand {
			*e = asked(r)
		}
	}
	return joins
}

// disband is after for an audience.
func (t *states) disband(s State, a *Access, latest uint32, o Order) (State, bool) {
	list, ok := t.listOf(s, a)
	if ok {
		next, full := t.after(list, a, latest, o)
		if full || next == list { // the front is not the access: it has another context
			next = s
		}
		return next, full
	}
	for ; s.isAudience(); s = t.audience(s).rest {
		for i := range t.audience(s).readers {
			if r := offheap.Load32(&t.audience(s).readers[i]); r != closed {
				t.compareReader(t.audiences.readers.At(r), a, o)
			}
		}
	}
	p := pass{table: t, access: a, asked: o}
	p.judge(s)
	return list, true
}

// compareReader is compare for a reader.
func (t *states) compareReader(r *reader, a *Access, o Order) {
	switch {
	case r.strand == a.Strand || !conflicts(Read, a.Op):
	case !o.Precedes(r.strand):
		o.Race(r.access())
	case !o.Certain(r.strand):
		o.Luck(r.access())
	}
}

// listOf closes the audience s and returns the list that says the same; false when there is
// no room for it, and s.
func (t *states) listOf(s State, by *Access) (State, bool) {
	var behind [deepest + 1]*audience
	n, list := 0, s
	for ; list.isAudience(); list = behind[n-1].rest {
		behind[n] = t.audience(list)
		n++
	}
	behind[0].close()
	for n--; n >= 0; n-- {
		for i := range behind[n].readers {
			r := offheap.Load32(&behind[n].readers[i])
			if r == closed {
				break
			}
			e := t.audiences.readers.At(r).access()
			next := t.pushBy(by, &e, list, t.lengthOf(list)+1)
			if next == list {
				return s, false
			}
			list = next
		}
	}
	return list, true
}

// close lets nobody join b any more.
func (b *audience) close() {
	for i := range b.readers {
		offheap.CAS32(&b.readers[i], 0, closed)
	}
}

// reachAudience marks s and its readers, and returns what is to be marked then.
func (t *states) reachAudience(s State, m Marker) (rest State) {
	b := t.audience(s)
	if b.mark == t.mark {
		return 0
	}
	b.mark = t.mark
	for _, id := range &b.readers {
		if id != 0 && id != closed {
			r := t.audiences.readers.At(id)
			r.mark = t.mark
			m.Mark(r.strand)
		}
	}
	return b.rest
}

// sweepAudiences frees what the current collection did not reach.
func (t *states) sweepAudiences() {
	p := &t.audiences
	p.own.sweep(p.link, func(id uint32) bool {
		b := p.At(id)
		if b.mark == t.mark {
			return true
		}
		*b = audience{}
		return false
	})
	p.all.sweep(p.readerLink, func(id uint32) bool {
		r := p.readers.At(id)
		if r.mark == t.mark {
			return true
		}
		*r = reader{}
		return false
	})
}

// checkAudience asserts, after a collection, that s is whole.
func (t *states) checkAudience(s State) {
	b := t.audience(s)
	invariants.Assert(uint32(s-firstAudience) <= t.audiences.own.high && b.mark == t.mark, "shadow: a cell leads to an audience that was freed")
	t.checkInUse(b.rest)
	if b.rest.isAudience() {
		invariants.Assert(t.audience(b.rest).depth+1 == b.depth, "shadow: an audience at a wrong depth")
		t.audience(b.rest).checkFull()
	}
	for _, r := range &b.readers {
		invariants.Assert(r == 0 || r == closed || t.audiences.readers.At(r).mark == t.mark, "shadow: a reader that was freed")
	}
}

func (b *audience) checkFull() {
	for _, r := range &b.readers {
		invariants.Assert(r != 0 && r != closed, "shadow: an audience before another is not full")
	}
}
