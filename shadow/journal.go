package shadow

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
)

// A journal is the state of one byte that ordered strands access one after the other, each
// from the same few places: the list of these accesses, changed in place. Where the byte
// shares its list with hardly any other, each access would make that list anew, but for the
// last element: whoever comes back to a place replaces what is remembered the longest.
//
// A journal says what the list with its entries would say, and belongs to the byte alone.
// Who changes it holds its lock, so that an access and its check are one step here too. An
// access that would do more than be put in front, and replace others that certainly precede
// it, such as one that races, closes the journal: then it does not change any more, and that
// access goes on with the list that says the same.
//
// What a memo says of a journal stays true while it changes: an access that changes nothing
// is one whose strand has made such an access already, or for which another read stands, and
// that is not replaced before the strand has ended.
type journal struct {
	lock    offheap.Lock // guards the rest
	closed  bool
	length  uint32
	mark    uint32 // the last collection that reached it
	entries [journalSize]entry
}

// entry is an access of a journal, plain and without locks; the latest is the first.
type entry struct {
	strand  Strand
	place   uint32
	siteOp  uint32 // as in a record
	context uint32
}

func (e *entry) op() Op { return Op(e.siteOp&3) + 1 }

func (e *entry) access() Access {
	return Access{Strand: e.strand, Place: e.place, Context: e.context, Site: e.siteOp >> 2, Op: e.op()}
}

const (
	maxJournals  = 1 << 19
	firstJournal = firstAudience - maxJournals // states from here on are no lists
	// journalSize is below maxDominated: of what is in a journal, that one is not dropped.
	journalSize = maxDominated - 1
	// longestJournal is the length up to which a list becomes a journal: it may grow.
	longestJournal = journalSize - 2
	// journalNews is how many new states a strand must have made before it makes journals:
	// what bytes share is cheaper as a list.
	journalNews = 8
)

// journals is the table of journals.
type journals struct {
	offheap.Table[journal]
	news  uint32       // journalNews, but in tests
	limit uint32       // journals to use at most
	lock  offheap.Lock // guards the rest
	own   pool
}

func (p *journals) init(limit uint32) {
	p.Table.Init(maxJournals)
	p.news, p.limit = journalNews, min(limit, maxJournals)
}

// bytes is by how much the journals are larger than records.
func (p *journals) bytes() uint64 {
	return uint64(offheap.Load32(&p.own.used)) * uint64(unsafe.Sizeof(journal{})-unsafe.Sizeof(record{}))
}

//go:nosplit
func (s State) isJournal() bool { return s-firstJournal < maxJournals }

// isList reports whether s is immutable.
//
//go:nosplit
func (s State) isList() bool { return s < firstJournal }

func (t *states) journal(s State) *journal { return t.journals.At(uint32(s - firstJournal)) }

// link is where a journal that is free has the id of the next.
func (p *journals) link(id uint32) *uint32 { return &p.At(id).length }

// newJournal is a journal that says what the list s does, of which the latest access was made
// in the given context; 0 when there is no room.
func (t *states) newJournal(s State, context uint32) State {
	p := &t.journals
	p.lock.Lock()
	id := p.own.take(p.limit, p.link)
	p.lock.Unlock()
	if id == 0 {
		return 0
	}
	j := p.At(id)
	*j = journal{length: t.lengthOf(s)}
	for i := 0; s != 0; i++ {
		r := t.at(s)
		j.entries[i] = entry{r.strand, r.place, r.siteOp, r.context}
		s = r.rest
	}
	j.entries[0].context = context
	return firstJournal + State(id)
}

// opens returns the state that a byte takes for which an access has made the list after of
// the list before: a journal, when the strand makes many new states, this one replaced an
// access, and a journal can say the same.
func (s *step) opens(before, after State) State {
	t := &s.history.states
	if !s.single || s.cell == nil || !before.isList() || before == 0 {
		return after
	}
	if m := s.order.Ranges().readers.about(s.access.Strand); m.made < t.journals.news {
		m.made++
		return after
	}
	if length := t.at(after).length; length < 2 || length > longestJournal || length > t.at(before).length {
		return after
	}
	for l := after; l != 0; l = t.at(l).rest {
		if r := t.at(l); r.locks != 0 || r.op().Atomic() {
			return after
		}
	}
	if j := t.newJournal(after, s.access.Context); j != 0 {
		return j
	}
	return after
}

// enter is next for a byte whose state old is a journal, by whatever access; 0 if it must go
// on with the list that says the same.
// Cost: a query per distinct remembered strand.
func (s *step) enter(old State, at int) State {
	if s.access.Op.Atomic() || s.access.Locks != 0 {
		return 0
	}
	s.order.At(s.base + uintptr(at))
	j := s.history.states.journal(old)
	j.lock.Lock()
	role, drops := differs, uint32(0)
	if !j.closed {
		role, drops = s.review(j)
	}
	if role == joins {
		j.put(s.access, drops)
		s.moved = true
	}
	j.lock.Unlock()
	if role == differs {
		return 0
	}
	return old
}

// review says what the access is in the journal j, and which entries it replaces. It does as
// states.follow does with a list.
func (s *step) review(j *journal) (r role, drops uint32) {
	a, siteOp, left, covered := s.access, s.access.Site<<2|uint32(s.access.Op-1), uint32(0), false
	p := pass{table: &s.history.states, access: a, asked: s.order}
	for i := range j.length {
		e := &j.entries[i]
		left++
		if e.strand == a.Strand {
			if covers(e.op(), a.Op) {
				return repeats, 0
			}
			continue
		}
		if a.Op == Read && a.Learned != 0 && e.strand.Task() == a.Strand.Task() {
			return differs, 0 // it may renew that one
		}
		switch p.relation(e.strand) {
		case unordered:
			if conflicts(e.op(), a.Op) {
				return differs, 0
			}
			covered = covered || i < standIns && e.place == a.Place && e.siteOp == siteOp && e.context == a.Context && s.order.Outlasted(e.strand)
		case lucky:
			return differs, 0
		case certain:
			if e.siteOp>>2 == a.Site && covers(a.Op, e.op()) {
				drops |= 1 << i
				left--
			}
		}
	}
	switch {
	case covered:
		return repeats, 0
	case left == journalSize:
		return differs, 0
	}
	return joins, drops
}

// put puts a in front and takes out what it replaces.
func (j *journal) put(a *Access, drops uint32) {
	last, n := entry{a.Strand, a.Place, a.Site<<2 | uint32(a.Op-1), a.Context}, uint32(0)
	for i := range j.length {
		if drops>>i&1 == 0 {
			j.entries[n], last = last, j.entries[i]
			n++
		}
	}
	j.entries[n], j.length = last, n+1
}

// closes is after for a journal, which has the context of each of its accesses.
func (t *states) closes(s State, a *Access, o Order) (State, bool) {
	j := t.journal(s)
	j.lock.Lock()
	j.closed = true
	j.lock.Unlock()
	list := State(0)
	for i := j.length; i > 0; i-- {
		e := j.entries[i-1].access()
		next := t.pushBy(a, &e, list, t.lengthOf(list)+1)
		if next == list { // there is no room
			j.compare(t, a, o)
			return s, true
		}
		list = next
	}
	next, full := t.after(list, a, 0, o)
	if full {
		next = s
	}
	return next, full
}

// compare tells o of the conflicting entries that are not ordered in every schedule.
func (j *journal) compare(t *states, a *Access, o Order) {
	for i := range j.length {
		e := &j.entries[i]
		switch {
		case e.strand == a.Strand || !conflicts(e.op(), a.Op):
		case !o.Precedes(e.strand):
			o.Race(e.access())
		case !o.Certain(e.strand):
			o.Luck(e.access())
		}
	}
}

// reachJournal marks s and its strands.
func (t *states) reachJournal(s State, m Marker) {
	j := t.journal(s)
	if j.mark == t.mark {
		return
	}
	j.mark = t.mark
	for i := range j.length {
		m.Mark(j.entries[i].strand)
	}
}

// sweepJournals frees what the current collection did not reach.
func (t *states) sweepJournals() {
	p := &t.journals
	p.own.sweep(p.link, func(id uint32) bool {
		j := p.At(id)
		if j.mark == t.mark {
			return true
		}
		*j = journal{}
		return false
	})
}

// checkJournal asserts, after a collection, that s is whole.
func (t *states) checkJournal(s State) {
	j := t.journal(s)
	invariants.Assert(uint32(s-firstJournal) <= t.journals.own.high && j.mark == t.mark, "shadow: a cell leads to a journal that was freed")
	invariants.Assert(0 < j.length && j.length <= journalSize, "shadow: a journal with too many entries, or none")
}
