package shadow

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
)

// State is the interned list of accesses remembered for a location. 0 is the
// empty list. Two locations with the same history share a State.
type State uint32

// MaxStates is the number of distinct states; ids fit into 24 bits of a cell.
const MaxStates = 1 << 24

const (
	stripes   = 256
	firstTick = 1 // a strand has it, or a later one, before its first access; records may have 0
	lastTick  = 1 << 31
	sparse    = 1 << 15 // records after which there are many
	refill    = 64      // records a stripe takes at a time
)

// stripe has slots and records of its own. Its near slots are for the states that some threads
// make, mostly one: what that touches is close together. Its far slots are for any. A stripe
// fills a cache line.
type stripe struct {
	lock      offheap.Lock // guards the near slots and the rest
	farLock   offheap.Lock // guards the far slots; taken after some lock
	free      State        // list of swept records
	next, end uint32       // fresh records
	taken     uint32       // atomic: records handed out since the last sweep
	farSlots  uint32       // a power of two, or 0
	farUsed   uint32       // of them
	_         [32]byte
}

// record is one state: an access in front of the list rest. Immutable while
// it is reachable from a cell or a memo.
type record struct {
	strand Strand
	place  uint32
	siteOp
	context uint32 // of whoever made the record, with Mixed if others came; no part of its identity
	rest    State
	writes  State  // nearest list below that starts with a write
	plain   State  // nearest list below that starts with a plain access
	other   State  // a list below: all that is before it was made under the guard's lock
	past    State  // of a write: the list below from a write on before which writes were made under the guard
	guard   uint32 // one of the locks, alone
	locks   uint32 // in the free list: the next one
	length  uint32 // of the whole list
	made    uint32 // when; not before what is below in the list
	extra   uint32 // see compact and mark
}

func (r *record) access() Access {
	return Access{Strand: r.strand, Place: r.place, Context: r.context, Site: r.site(), Op: r.op(), Locks: r.locks, Guard: r.guard}
}

// siteOp is the site of an access and what it does: site<<2 | op-1.
type siteOp uint32

//go:nosplit
func (a *Access) siteOp() siteOp { return siteOp(a.Site<<2 | uint32(a.Op-1)) }

//go:nosplit
func (x siteOp) op() Op { return Op(x&3) + 1 }

//go:nosplit
func (x siteOp) site() uint32 { return uint32(x >> 2) }

// compact is the length that the list had when it was last compacted.
func (r *record) compact() uint32 { return r.extra & (MaxStates - 1) }

// marked reports whether the collection that colours records like that reached r.
func (r *record) marked(colour uint32) bool { return r.extra/MaxStates == colour }

func (r *record) setMark(colour uint32) { r.extra = r.compact() | colour*MaxStates }

// states is the intern table. Look-ups and insertions are safe for concurrent
// use; sweep needs the world stopped.
type states struct {
	records offheap.Table[record]
	few     offheap.Table[few]
	many    offheap.Table[many]
	far     offheap.Table[uint32] // tag<<24 | State: open addressing
	stripes [stripes]stripe

	moving  offheap.Table[uint32] // what resize moves
	growing offheap.Lock          // guards it; taken last

	newest newest

	stock offheap.Lock // guards what stripes take records from
	freed State        // lists of swept records: the first of each has the next in its place
	high  uint32       // atomic: records handed to stripes

	live   uint32 // records in use after the last sweep
	mark   uint32 // number of the current collection
	colour uint32 // 1 to 255 in turn: no record in use has that of a collection two back
	capped uint32 // records to use at most

	// Among how many elements of a list a strand's own accesses are looked for, at a
	// glance and in full.
	glance, search int

	wordy uint32 // wordyStates, but in tests

	audiences audiences
	journals  journals
	rolls     rolls

	_       [60]byte // what is above is hardly ever written
	time    uint32   // atomic: see tick
	threads uint32   // atomic: that have made accesses
	_       [56]byte
}

func (t *states) init(limit uint32) {
	t.records.Init(MaxStates)
	t.few.Init(stripes * latest)
	t.many.Init(stripes * latest)
	t.far.Init(stripes * farSize)
	t.moving.Init(farSize)
	t.newest.init()
	t.audiences.init(limit)
	t.journals.init(limit)
	t.rolls.init()
	t.capped, t.glance, t.search, t.wordy = min(limit, firstJournal), lately, MaxStates, wordyStates
}

func (t *states) lengthOf(s State) uint32 {
	if s == 0 {
		return 0
	}
	return t.at(s).length
}

func (t *states) at(s State) *record { return t.records.At(uint32(s)) }

// push interns the list that starts with a and goes on with rest. It returns
// rest itself when the table is full.
func (t *states) push(a *Access, rest State, compact uint32) State {
	return t.pushBy(a, a, rest, compact)
}

// pushBy is push by the strand of an access that may not be a: then a is not what it does but
// what it leaves in a list.
func (t *states) pushBy(by, a *Access, rest State, compact uint32) State {
	siteOp := a.siteOp()
	var k key
	k.of(t, by, a.Strand, a.Place, siteOp, rest)
	own := &t.stripes[k.stripe]
	own.lock.Lock()
	s, slot := t.findNear(&k, a, siteOp, rest)
	if s != 0 || slot != nil {
		s = t.settle(own, s, slot, &k, a, siteOp, rest, compact)
	} else {
		far := &t.stripes[k.farStripe]
		far.farLock.Lock()
		s, slot = t.findFar(&k, a, siteOp, rest)
		isNew := s == 0
		s = t.settle(own, s, slot, &k, a, siteOp, rest, compact)
		if isNew && s != rest {
			t.grows(k.farStripe)
		}
		far.farLock.Unlock()
	}
	own.lock.Unlock()
	return s
}

// settle ends a push with what find returned: the record s, or its slot.
func (t *states) settle(own *stripe, s State, slot *uint32, k *key, a *Access, siteOp siteOp, rest State, compact uint32) State {
	if s != 0 {
		t.reach(s, a.Context)
		return s
	}
	if slot != nil {
		s = t.take(own)
	}
	if s == 0 {
		return rest
	}
	t.fill(s, a, siteOp, rest, compact)
	*slot = k.tag<<24 | uint32(s)
	return s
}

func (t *states) is(s State, a *Access, siteOp siteOp, rest State) bool {
	r := t.at(s)
	return r.strand == a.Strand && r.place == a.Place && r.siteOp == siteOp && r.rest == rest
}

func (t *states) fill(s State, a *Access, siteOp siteOp, rest State, compact uint32) {
	r := t.at(s)
	r.strand, r.place, r.siteOp, r.context, r.locks, r.rest = a.Strand, a.Place, siteOp, a.Context, a.Locks, rest
	r.guard, r.extra, r.made = a.Guard, compact, offheap.Load32(&t.time)
	if rest == 0 {
		r.length, r.writes, r.plain, r.other, r.past = 1, 0, 0, 0, 0
	} else {
		below := t.at(rest)
		r.length = below.length + 1
		r.writes = below.writes
		r.plain = below.plain
		r.other = rest
		if below.guard|exclusive == a.Guard|exclusive {
			r.other = below.other
		}
		if below.op().Writes() {
			r.writes = rest
		}
		if !below.op().Atomic() {
			r.plain = rest
		}
		if r.past = r.writes; r.past != 0 && t.at(r.past).guard == a.Guard {
			r.past = t.at(r.past).past
		}
	}
}

// reach notes that a remembered transition leads to s again, in some context.
//
//go:nosplit
func (t *states) reach(s State, context uint32) {
	if r := t.records.At(uint32(s)); r.context&^Mixed != context {
		r.context |= Mixed
	}
}

// tick is a time that no record made so far has, and none made from now on is before.
// When there are no more, it is that before all but the earliest.
//
//go:nosplit
func (t *states) tick() uint32 {
	if offheap.Load32(&t.time) >= lastTick {
		return firstTick
	}
	return offheap.Add32(&t.time, 1)
}

// take hands out a record of a locked stripe, 0 when there is none left.
func (t *states) take(own *stripe) State {
	if own.free == 0 && own.next == own.end && !t.refill(own) {
		return 0
	}
	offheap.Put32(&own.taken, own.taken+1)
	if s := own.free; s != 0 {
		own.free = State(t.at(s).locks)
		offheap.Prefetch(unsafe.Pointer(t.at(own.free)), unsafe.Sizeof(record{}))
		return s
	}
	own.next++
	return State(own.next)
}

// refill gives a locked stripe records that lie together; false when there are none.
func (t *states) refill(own *stripe) bool {
	t.stock.Lock()
	if own.free = t.freed; own.free != 0 {
		t.freed = State(t.at(own.free).place)
	} else {
		own.next = t.high
		own.end = min(t.high+refill, t.capped-1)
		offheap.Store32(&t.high, own.end)
	}
	t.stock.Unlock()
	if own.next < sparse && own.end >= sparse {
		offheap.PreferHuge(unsafe.Pointer(t.at(sparse)), (MaxStates-sparse)*unsafe.Sizeof(record{}))
	}
	return own.free != 0 || own.next != own.end
}

// beginMark begins a collection.
func (t *states) beginMark() {
	t.mark++
	t.colour = t.mark%255 + 1
}

// reachFrom marks s and the lists in it; m is told of each strand in one that
// was not marked yet.
func (t *states) reachFrom(s State, m Marker) {
	if s.isRoll() {
		s = t.reachRoll(s, m)
	}
	for s.isAudience() {
		s = t.reachAudience(s, m)
	}
	if s.isJournal() {
		t.reachJournal(s, m)
		return
	}
	for ; s != 0; s = t.at(s).rest {
		r := t.at(s)
		if r.marked(t.colour) {
			return
		}
		r.setMark(t.colour)
		m.Mark(r.strand)
	}
}

// sweep frees every state that the current collection did not reach.
func (t *states) sweep() {
	t.sweepSlots()
	for i := range t.stripes {
		// What is left of the fresh records was never marked, so it is swept up.
		own := &t.stripes[i]
		*own = stripe{farSlots: own.farSlots, farUsed: own.farUsed}
	}
	t.live, t.freed = 0, 0
	for high := t.high; high > 0; high = (high - 1) &^ (refill - 1) {
		list := State(0)
		for i := high; i > (high-1)&^(refill-1); i-- {
			r := t.records.At(i)
			if r.marked(t.colour) {
				t.live++
				continue
			}
			*r = record{locks: uint32(list)}
			list = State(i)
		}
		if list != 0 {
			t.at(list).place = uint32(t.freed)
			t.freed = list
		}
	}
	t.sweepRolls()
	t.sweepAudiences()
	t.sweepJournals()
}

// used is about how many records are in use, those nobody needs any more but
// that no sweep has found yet among them.
func (t *states) used() uint64 {
	n := uint64(t.live)
	for i := range t.stripes {
		n += uint64(offheap.Load32(&t.stripes[i].taken))
	}
	return n + uint64(offheap.Load32(&t.audiences.own.used)) + uint64(offheap.Load32(&t.journals.own.used))
}

// known reports whether the same strand's earlier access makes an access of kind
// op redundant. At most limit elements are looked at. What r.op says is written out: with it the
// function would be too long to be inlined, and the stack below a hook too short.
//
//go:nosplit
func (t *states) known(s State, strand Strand, op Op, limit int) bool {
	for ; s != 0 && limit > 0; limit-- {
		r := t.records.At(uint32(s))
		if r.strand == strand && covers(Op(r.siteOp&3)+1, op) {
			return true
		}
		s = r.rest
	}
	return false
}

// repeats is known for a, but does not look further than to what was made before the
// strand had begun.
func (t *states) repeats(s State, a *Access, limit int) bool {
	found, _ := t.seek(s, a, limit)
	return found
}

// seek is repeats, with what is left of the limit.
func (t *states) seek(s State, a *Access, limit int) (found bool, left int) {
	for ; s != 0 && limit > 0; limit-- {
		r := t.at(s)
		if r.made < a.Since {
			break
		}
		if r.strand == a.Strand && covers(r.op(), a.Op) {
			return true, limit
		}
		s = r.rest
	}
	return false, limit
}

// repeatsInLong is repeats for a long list. It looks as far as was worth it for the thread lately, and
// now and then as far as ever: goroutines that were interrupted when they had just begun come to lists
// in front of which thousands of others have read since, and have mostly not read what these are of.
// What is not found is remembered twice.
func (t *states) repeatsInLong(s State, a *Access, o Order) bool {
	m, most := &o.Ranges().readers, min(ownSearch, t.search)
	limit := most - int(m.near)
	if m.sought++; m.sought%everySearch == 0 {
		limit = most
	}
	found, left := t.seek(s, a, limit)
	switch {
	case found:
		m.near = uint16(max(0, min(int(m.near), most-2*(limit-left)-shortList)))
	case left == 0 && limit > shortList:
		m.near = uint16(min(int(m.near)+(limit-shortList+7)/8, most-shortList))
	}
	return found
}

func (t *states) check(s State) {
	if invariants.Enabled && s != 0 && s.isList() {
		invariants.Assert(uint32(s) <= t.high, "shadow: state id beyond the table")
		invariants.Assert(t.at(s).length > 0, "shadow: empty record in use")
	}
}
