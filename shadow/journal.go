package shadow

import (
	"math/bits"
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
// access that would do more than be put in front, and replace others, such as one that
// races, closes the journal: then it does not change any more, and that
// access goes on with the list that says the same.
//
// Who synchronises with every step comes back in another strand each time, for which there are
// shorter ways: see comesBack and returns; and a shorter one yet, on the program's own stack: see
// Retakes.
//
// What a memo says of a journal stays true while it changes: an access that changes nothing
// is one whose strand has made such an access already, or for which another read stands, and
// that is not replaced before the strand has ended.
type journal struct {
	lock    offheap.Lock // guards the rest
	closed  bool
	ordered bool   // all entries are of the strand of the first, or precede it in every schedule
	added   uint16 // how many entries, the first, were not taken over from a list, nor had to do with memory on loan
	length  uint32
	mark    uint32 // the last collection that reached it
	mixed   uint32 // which entries are atomic operations not ordered with the first, one as well
	more    uint32 // the journal that has what does not fit here, 0 if there is none
	entries [journalPart]entry
}

// entry is an access of a journal; the latest is the first.
type entry struct {
	strand Strand
	place  uint32
	siteOp
	context uint32
	locks   uint32
}

// set makes e what is remembered of a. What is about to be copied is written as it is read.
//
//go:nosplit
func (e *entry) set(a *Access) {
	e.strand, e.place, e.siteOp, e.context, e.locks = a.Strand, a.Place, a.siteOp(), a.Context, a.Locks
}

func (e *entry) access() Access {
	return Access{Strand: e.strand, Place: e.place, Context: e.context, Site: e.site(), Op: e.op(), Locks: e.locks}
}

const (
	maxJournals  = 1 << 19
	firstJournal = firstAudience - maxJournals // states from here on are no lists
	journalPart  = 7                           // entries in one piece
	// journalSize is below shortList: lists as long as that are rebuilt at every access. There is room
	// for what eight tasks do at three places.
	journalSize = 4 * journalPart
	// longestJournal is the length up to which a list becomes a journal: it may grow.
	longestJournal = journalSize - 2
	// journalNews is how many new states a strand must have made before it makes journals:
	// what bytes share is cheaper as a list.
	journalNews = 8
	// journalShare is for how many of its accesses it makes one at least: with fewer, bytes share
	// them, though not one with the next, as what a few tasks read at random.
	journalShare = 64
	never        = ^uint32(0)
)

// journals is the table of journals.
type journals struct {
	offheap.Table[journal]
	news  uint32       // journalNews, but in tests; with never there are none
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

// IsJournal reports whether s is a journal, see Retakes.
//
//go:nosplit
func IsJournal(s State) bool { return s.isJournal() }

// isList reports whether s is immutable.
//
//go:nosplit
func (s State) isList() bool { return s < firstJournal }

//go:nosplit
func (t *states) journal(s State) *journal { return t.journals.At(uint32(s - firstJournal)) }

// link is where a journal that is free has the id of the next.
func (p *journals) link(id uint32) *uint32 { return &p.At(id).length }

// entry is entry i of the journal j. It is not checked, which would take room on a stack that has
// little (see Retakes).
//
//go:nosplit
func (t *states) entry(j *journal, i uint32) *entry {
	for ; i >= journalPart; i -= journalPart {
		j = t.journals.At(j.more)
	}
	return (*entry)(unsafe.Add(unsafe.Pointer(&j.entries), uintptr(i)*unsafe.Sizeof(entry{})))
}

// takeJournal is the id of a journal that is not used, 0 when there is none.
func (t *states) takeJournal() uint32 {
	p := &t.journals
	p.lock.Lock()
	id := p.own.take(p.limit, p.link)
	p.lock.Unlock()
	if id != 0 {
		*p.At(id) = journal{}
	}
	return id
}

// hasRoom reports whether the journal j has room for n entries, or makes it.
func (t *states) hasRoom(j *journal, n uint32) bool {
	for ; n > journalPart; n -= journalPart {
		if j.more == 0 {
			if j.more = t.takeJournal(); j.more == 0 {
				return false
			}
		}
		j = t.journals.At(j.more)
	}
	return true
}

// roomy reports whether the journal j has room for one more entry without those in drops.
//
//go:nosplit
func (t *states) roomy(j *journal, drops uint32) bool {
	left := j.length
	for ; drops != 0; drops &= drops - 1 {
		left--
	}
	if left >= journalSize {
		return false
	}
	for ; left >= journalPart; left -= journalPart {
		if j.more == 0 {
			return false
		}
		j = t.journals.At(j.more)
	}
	return true
}

// fits reports whether the journal j has room for one more entry without those in drops, or
// makes it.
func (t *states) fits(j *journal, drops uint32) bool {
	left := j.length - uint32(bits.OnesCount32(drops))
	return left < journalSize && t.hasRoom(j, left+1)
}

// newJournal is a journal that says what the list s does, of which the latest access was made
// in the given context; 0 when there is no room.
func (t *states) newJournal(s State, context uint32) State {
	id := t.takeJournal()
	if id == 0 {
		return 0
	}
	j := t.journals.At(id)
	j.length = t.lengthOf(s)
	if !t.hasRoom(j, j.length) {
		return 0 // the next collection finds it
	}
	for i := range j.length {
		r := t.at(s)
		*t.entry(j, i) = entry{r.strand, r.place, r.siteOp, r.context, r.locks}
		s = r.rest
	}
	j.entries[0].context = context
	return firstJournal + State(id)
}

// opens returns the state that a byte takes for which an access has made the list after of
// the list before: a journal, when the strand, or one that the thread ran earlier, makes many new
// states, or so few accesses that other bytes hardly have this one, it replaced an access, and a
// journal can say the same.
func (s *step) opens(before, after State) State {
	t := &s.history.states
	if !s.access.single || s.cell == nil || !before.isList() || before == 0 {
		return after
	}
	alone := s.access.Header || s.access.Op.Atomic()
	soon, least := s.access.Brief || alone, uint32(2)
	if alone {
		least = 1
	}
	m := s.order.Ranges().readers.about(s.access.Strand)
	if m.before == before {
		m.alone = false // bytes share what they were
	}
	m.before = before
	m.many = m.made >= t.journals.news && s.access.Count <= journalShare*m.made
	m.made++
	if t.journals.news == never || !m.many && !soon && !m.alone {
		return after
	}
	if length := t.at(after).length; length < least || length > longestJournal || length > t.at(before).length {
		return after
	}
	if j := t.newJournal(after, s.access.Context); j != 0 {
		return j
	}
	return after
}

// enter is next for a byte whose state old is a journal, by whatever access; 0 if it must go
// on with the list that says the same.
// Cost: a query per distinct remembered strand, or one for all.
func (s *step) enter(old State, at int) State {
	s.order.At(s.base + uintptr(at))
	t := &s.history.states
	j := t.journal(old)
	j.lock.Lock()
	role := differs
	if !j.closed && !s.access.single { // of one byte back has asked
		role = t.again(j, s.access, s.order)
	}
	if !j.closed && role == differs {
		role = s.meets(j)
	}
	j.lock.Unlock()
	if role == differs {
		return 0
	}
	s.moved = s.moved || role == joins
	return old
}

// meets makes the access in the open journal j, if it may stay one.
func (s *step) meets(j *journal) role {
	t := &s.history.states
	role, drops, mixed, ordered := s.review(j)
	if role == joins {
		t.put(j, s.access, drops)
		t.tell(j, mixed, s.order)
		j.ordered = ordered
		if s.access.Lent {
			j.added = 0
		}
	}
	return role
}

// review says what the access is in the journal j, which entries it replaces, and which
// are to be told of once it is in front; ordered, whether all entries precede it in every
// schedule. It does as states.after does with a list.
func (s *step) review(j *journal) (r role, drops, mixed uint32, ordered bool) {
	t, a, siteOp, covered := &s.history.states, s.access, s.access.siteOp(), false
	p := pass{table: t, access: a, asked: s.order}
	ordered = true
	for i := range j.length {
		if e := t.entry(j, i); e.strand == a.Strand && covers(e.op(), a.Op) {
			return repeats, 0, 0, false
		}
	}
	for i := range j.length {
		e := t.entry(j, i)
		relation := p.relation(e.strand)
		ordered = ordered && relation == certain
		switch {
		case relation == certain:
		case conflicts(e.op(), a.Op):
			if relation == unordered || !guarded(e.locks, a, s.order) {
				return differs, 0, 0, false
			}
		case e.op().Writes() || a.Op.Writes():
			mixed |= 1 << i
		case relation == unordered && a.Op == Read:
			covered = covered || i < standIns && e.place == a.Place && e.siteOp == siteOp && e.context == a.Context && s.order.Outlasted(e.strand)
		}
		if !p.keeps(e.strand, e.siteOp, e.locks) {
			drops |= 1 << i
		}
	}
	switch renewed := t.renews(j, a); {
	case renewed != 0:
		drops = renewed
	case covered:
		return repeats, 0, 0, false
	case p.byLuck && p.dominated > 1: // of which there may be one
		all := t.superfluous(j, &p)
		if drops == 0 && all != 0 {
			return differs, 0, 0, false // a list keeps them until there is something else to drop
		}
		drops = all
	}
	if !t.fits(j, drops) {
		return differs, 0, 0, false
	}
	return joins, drops, behind(mixed, drops), ordered && !a.Lent
}

// behind is where the entries in mixed, of which none is in drops, are once those are taken out
// and another is in front.
func behind(mixed, drops uint32) (moved uint32) {
	for ; mixed != 0; mixed &= mixed - 1 {
		i := bits.TrailingZeros32(mixed)
		moved |= 2 << (i - bits.OnesCount32(drops&(1<<i-1)))
	}
	return moved
}

// superfluous is which entries of j can be forgotten beside the access of p.
func (t *states) superfluous(j *journal, p *pass) (drops uint32) {
	p.dominated, p.lucky = 0, 0
	for i := range j.length {
		if e := t.entry(j, i); !p.keeps(e.strand, e.siteOp, e.locks) {
			drops |= 1 << i
		}
	}
	return drops
}

// renews is the entry, as in drops, whose place the read a takes by what states.renew says.
func (t *states) renews(j *journal, a *Access) (drops uint32) {
	if a.Op != Read || a.Learned == 0 || a.Learned > a.Strand.Index() {
		return 0
	}
	siteOp := a.siteOp()
	for i := range min(j.length, renewable+1) {
		e := t.entry(j, i)
		switch {
		case e.strand.Task() != a.Strand.Task():
		case e.place == a.Place && e.siteOp == siteOp && e.locks == a.Locks && e.strand < a.Strand && e.strand.Index()+1 >= a.Learned:
			return 1 << i
		case e.strand == a.Strand || e.site() == a.Site && covers(a.Op, e.op()):
			return 0
		}
	}
	return 0
}

// tell tells of the entries in mixed, which are atomic operations as the access is, that they are
// not ordered with it, the first entry: one after the other of a site says nothing new.
func (t *states) tell(j *journal, mixed uint32, o Order) {
	j.mixed = mixed
	told, site := false, uint32(0)
	for ; mixed != 0; mixed &= mixed - 1 {
		if e := t.entry(j, uint32(bits.TrailingZeros32(mixed))); !told || e.site() != site {
			o.Unordered(e.access())
			told, site = true, e.site()
		}
	}
}

// put puts a in front and takes out what it replaces. There is room for it. What is behind the
// first entry that is taken out stays where it is, unless there is another one.
//
//go:nosplit
func (t *states) put(j *journal, a *Access, drops uint32) {
	added := j.added + 1
	for d := drops & (1<<j.added - 1); d != 0; d &= d - 1 {
		added--
	}
	j.added = added
	n := min(uint32(bits.TrailingZeros32(drops)), j.length)
	for i := n; i > 0; i-- {
		*t.entry(j, i) = *t.entry(j, i-1)
	}
	t.entry(j, 0).set(a)
	n++
	for i := n; i < j.length; i++ {
		if drops>>i&1 == 0 {
			if n != i {
				*t.entry(j, n) = *t.entry(j, i)
			}
			n++
		}
	}
	j.length = n
}

// closes is after for a journal, which has the context of each of its accesses.
func (t *states) closes(s State, a *Access, o Order) (State, bool) {
	j := t.journal(s)
	j.lock.Lock()
	j.closed = true
	j.lock.Unlock()
	list := State(0)
	for i := j.length; i > 0; i-- {
		e := t.entry(j, i-1).access()
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
		e := t.entry(j, i)
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
	for part := j; part.more != 0; {
		part = t.journals.At(part.more)
		part.mark = t.mark
	}
	for i := range j.length {
		m.Mark(t.entry(j, i).strand)
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
	invariants.Assert(0 < j.length && j.length <= journalSize && uint32(j.added) <= j.length, "shadow: a journal with too many entries, or none")
	room := uint32(journalPart)
	for more := j.more; more != 0; room += journalPart {
		part := t.journals.At(more)
		invariants.Assert(more <= t.journals.own.high && part.mark == t.mark && part.length == 0, "shadow: a part of a journal that was freed")
		more = part.more
	}
	invariants.Assert(j.length <= room, "shadow: entries of a journal are lost")
}
