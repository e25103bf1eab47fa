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
	nearSize  = 1 << 14 // near slots of a stripe
	farSize   = 1 << 16 // far slots of a stripe, at most
	farFirst  = 1 << 8  // at first
	vicinity  = 256     // near slots in which most states of a strand lie
	inner     = 64      // of them, for the first ones
	nearby    = 16      // slots looked at in each part
	firstTick = 1       // a strand has it, or a later one, before its first access; records may have 0
	lastTick  = 1 << 31
	window    = 1 << 11 // latest strands of a run with one numbering that have blocks
	blockSize = 128     // near slots of a block
	sparse    = 1 << 15 // records after which there are many
	refill    = 64      // records a stripe takes at a time
)

// stripe guards a segment of the slots and has records of its own to hand out.
// The first states of one strand have near slots in one stripe: mostly one thread
// works there, and what it touches is close together. The others have far slots,
// in any stripe, as many as are needed. A stripe fills a cache line.
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
	strand  Strand
	place   uint32
	siteOp  uint32 // site<<2 | op-1
	context uint32 // of whoever made the record, with Mixed if others came; no part of its identity
	rest    State
	writes  State  // nearest list below that starts with a write
	plain   State  // nearest list below that starts with a plain access
	other   State  // nearest list below that starts under other locks than this one
	locks   uint32 // in the free list: the next one
	length  uint32 // of the whole list
	made    uint32 // when; not before what is below in the list
	extra   uint32 // see compact and mark
}

func (r *record) access() Access {
	return Access{Strand: r.strand, Place: r.place, Context: r.context, Site: r.siteOp >> 2, Op: Op(r.siteOp&3) + 1, Locks: r.locks}
}

// compact is the length that the list had when it was last compacted.
func (r *record) compact() uint32 { return r.extra & (MaxStates - 1) }

// marked reports whether the collection that colours records like that reached r.
func (r *record) marked(colour uint32) bool { return r.extra/MaxStates == colour }

func (r *record) setMark(colour uint32) { r.extra = r.compact() | colour*MaxStates }

// states is the intern table. Look-ups and insertions are safe for concurrent
// use; sweep needs the world stopped.
type states struct {
	records offheap.Table[record]
	near    offheap.Table[uint32] // tag<<24 | State: open addressing
	far     offheap.Table[uint32]
	stripes [stripes]stripe

	moving  offheap.Table[uint32] // what grow moves
	growing offheap.Lock          // guards it; taken last

	high   uint32 // atomic: records handed to stripes
	live   uint32 // records in use after the last sweep
	mark   uint32 // number of the current collection
	colour uint32 // 1 to 255 in turn: no record in use has that of a collection two back
	capped uint32 // records to use at most

	// Among how many elements of a list a strand's own accesses are looked for, at a
	// glance and in full.
	glance, search int

	blocks    uint32 // atomic: strands are numbered in the order in which they began, see keyOf
	audiences audiences
	journals  journals

	_    [60]byte // what is above is hardly ever written
	time uint32   // atomic: see tick
	_    [60]byte
}

func (t *states) init(limit uint32) {
	t.records.Init(MaxStates)
	t.near.Init(stripes * nearSize)
	t.far.Init(stripes * farSize)
	t.moving.Init(farSize)
	t.audiences.init(limit)
	t.journals.init(limit)
	t.capped, t.glance, t.search = min(limit, firstJournal), shortList, MaxStates
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
func (t *states) push(a Access, rest State, compact uint32) State {
	return t.pushBy(a.Strand, a, rest, compact)
}

// pushBy is push by a strand that may not be that of a: then a is not what it does but what
// it leaves in a list.
func (t *states) pushBy(by Strand, a Access, rest State, compact uint32) State {
	siteOp := a.Site<<2 | uint32(a.Op-1)
	k := t.keyOf(by, a.Strand, a.Place, siteOp, rest)
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
		if isNew {
			t.grows(k.farStripe)
		}
		far.farLock.Unlock()
	}
	own.lock.Unlock()
	return s
}

// settle ends a push with what find returned: the record s, or its slot.
func (t *states) settle(own *stripe, s State, slot *uint32, k *key, a Access, siteOp uint32, rest State, compact uint32) State {
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

// key is where a record is to be found: in one of a few slots of stripe from near
// on, or else, when these are taken, in farStripe from far on; marked with tag. Where strands
// have one numbering the near slots are a block, of which the first says of which age it is.
// They are those of who makes the record, even for an older strand's access: most likely it
// puts its own in front of that, so nobody else comes to the same list.
type key struct{ stripe, near, age, farStripe, far, tag uint32 }

func (t *states) keyOf(by, u Strand, place, siteOp uint32, rest State) key {
	h := (uint64(place)<<32 | uint64(siteOp)) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>32 ^ uint64(rest) ^ uint64(u)<<20) * 0x94D049BB133111EB
	k := key{farStripe: uint32(h>>24) % stripes, far: uint32(h >> 38), tag: uint32(h >> 56)}
	switch n := by.Index() % window; {
	case t.search == ownSerial:
		// Strands run one after the other: the latest have blocks, in a row.
		k.stripe, k.near, k.age = n*blockSize/nearSize, n*blockSize%nearSize, by.Index()/window+1
	case offheap.Load32(&t.blocks) != 0:
		// Those that run at one time have theirs in different stripes.
		k.stripe, k.near, k.age = n%stripes, n/stripes*blockSize, by.Index()/window+1
	default:
		hs := uint32(uint64(u) * 0x9E3779B97F4A7C15 >> 32)
		k.stripe, k.near = hs%stripes, (hs>>8)%(nearSize/vicinity)*vicinity+uint32(h>>32)%inner
	}
	return k
}

// findNear returns the record, or 0 and the slot that it belongs into, nil when it
// can only be far. The stripe is locked. A strand that has few states touches the inner
// slots alone; one that has many spreads over all of its vicinity before any is far.
func (t *states) findNear(k *key, a Access, siteOp uint32, rest State) (s State, slot *uint32) {
	if k.age != 0 {
		block := (*[blockSize]uint32)(unsafe.Pointer(t.near.At(k.stripe*nearSize + k.near)))
		return t.findInBlock(block, k, a, siteOp, rest)
	}
	segment := t.near.At(k.stripe * nearSize)
	if s, slot = t.probe(segment, k.near, nearSize, nearby, k.tag, a, siteOp, rest); s != 0 || slot != nil {
		return s, slot
	}
	outer := k.near&^(vicinity-1) + inner + k.far%(vicinity-inner)
	return t.probe(segment, outer, nearSize, nearby, k.tag, a, siteOp, rest)
}

// findInBlock is findNear where strands have one numbering. What a new strand takes the block
// from is not found any more, and made again if need be.
func (t *states) findInBlock(block *[blockSize]uint32, k *key, a Access, siteOp uint32, rest State) (s State, slot *uint32) {
	if block[0] != k.age {
		if block[0] > k.age {
			return 0, nil
		}
		*block = [blockSize]uint32{k.age}
	}
	for i := uint32(0); i < nearby; i++ {
		slot = &block[(k.far+i)%(blockSize-1)+1]
		v := *slot
		if v == 0 {
			return 0, slot
		}
		if s := State(v & (MaxStates - 1)); v>>24 == k.tag && t.is(s, a, siteOp, rest) {
			return s, nil
		}
	}
	return 0, nil
}

// findFar is findNear for the far slots; nil means that there is none left.
func (t *states) findFar(k *key, a Access, siteOp uint32, rest State) (s State, slot *uint32) {
	n := max(t.stripes[k.farStripe].farSlots, farFirst)
	return t.probe(t.far.At(k.farStripe*farSize), k.far, n, n, k.tag, a, siteOp, rest)
}

// grows makes more far slots in a stripe, if need be for one that was just taken.
func (t *states) grows(stripe uint32) {
	own := &t.stripes[stripe]
	own.farUsed++
	old := max(own.farSlots, farFirst)
	if old == farSize || own.farUsed < old/4*3 {
		return
	}
	own.farSlots = old * 4
	slots := unsafe.Slice(t.far.At(stripe*farSize), old)
	t.growing.Lock()
	copy(unsafe.Slice(t.moving.At(0), old), slots)
	clear(slots)
	for i := uint32(0); i < old; i++ {
		if v := *t.moving.At(i); v != 0 {
			r := t.at(State(v & (MaxStates - 1)))
			k := t.keyOf(r.strand, r.strand, r.place, r.siteOp, r.rest)
			_, slot := t.findFar(&k, Access{}, 0, none)
			*slot = v
		}
	}
	t.growing.Unlock()
}

// probe looks at up to n slots of a segment of the given size, a power of two, from
// start on and around its end.
func (t *states) probe(segment *uint32, start, size, n, tag uint32, a Access, siteOp uint32, rest State) (s State, slot *uint32) {
	for i := uint32(0); i < n; i++ {
		slot = (*uint32)(unsafe.Add(unsafe.Pointer(segment), (start+i)&(size-1)*4))
		v := *slot
		if v == 0 {
			return 0, slot
		}
		if s := State(v & (MaxStates - 1)); v>>24 == tag && t.is(s, a, siteOp, rest) {
			return s, slot
		}
	}
	return 0, nil
}

func (t *states) is(s State, a Access, siteOp uint32, rest State) bool {
	r := t.at(s)
	return r.strand == a.Strand && r.place == a.Place && r.siteOp == siteOp && r.rest == rest
}

func (t *states) fill(s State, a Access, siteOp uint32, rest State, compact uint32) {
	r := t.at(s)
	*r = record{strand: a.Strand, place: a.Place, siteOp: siteOp, context: a.Context, locks: a.Locks, rest: rest, length: 1, extra: compact, made: offheap.Load32(&t.time)}
	if rest != 0 {
		below := t.at(rest)
		r.length = below.length + 1
		r.writes = below.writes
		r.plain = below.plain
		r.other = rest
		if below.locks == a.Locks {
			r.other = below.other
		}
		if below.access().Op.Writes() {
			r.writes = rest
		}
		if !below.access().Op.Atomic() {
			r.plain = rest
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
func (t *states) tick() uint32 {
	if offheap.Load32(&t.time) >= lastTick {
		return firstTick
	}
	return offheap.Add32(&t.time, 1)
}

// take hands out a record of a locked stripe, 0 when there is none left.
func (t *states) take(own *stripe) State {
	offheap.Put32(&own.taken, own.taken+1)
	if s := own.free; s != 0 {
		own.free = State(t.at(s).locks)
		return s
	}
	if own.next == own.end {
		high := offheap.Load32(&t.high)
		for !offheap.CAS32(&t.high, high, min(high+refill, t.capped-1)) {
			high = offheap.Load32(&t.high)
		}
		own.next, own.end = high, min(high+refill, t.capped-1)
		if own.next < sparse && own.end >= sparse {
			offheap.PreferHuge(unsafe.Pointer(t.at(sparse)), (MaxStates-sparse)*unsafe.Sizeof(record{}))
		}
		if own.next == own.end {
			return 0
		}
	}
	own.next++
	return State(own.next)
}

// beginMark begins a collection.
func (t *states) beginMark() {
	t.mark++
	t.colour = t.mark%255 + 1
}

// reachFrom marks s and the lists in it; m is told of each strand in one that
// was not marked yet.
func (t *states) reachFrom(s State, m Marker) {
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

// sweep frees every state that the current collection did not reach. Freed
// records go to the stripes in turn.
func (t *states) sweep() {
	t.near.Discard(0, stripes*nearSize)
	t.far.Discard(0, stripes*farSize)
	for i := range t.stripes {
		// What is left of the fresh records was never marked, so it is swept up.
		t.stripes[i] = stripe{}
	}
	t.live = 0
	for i := t.high; i > 0; i-- {
		r := t.records.At(i)
		if !r.marked(t.colour) {
			own := &t.stripes[i/refill%stripes]
			*r = record{locks: uint32(own.free)}
			own.free = State(i)
			continue
		}
		t.live++
		k := t.keyOf(r.strand, r.strand, r.place, r.siteOp, r.rest)
		if _, slot := t.findNear(&k, Access{}, 0, none); slot != nil {
			*slot = k.tag<<24 | i
		} else if _, slot = t.findFar(&k, Access{}, 0, none); slot != nil {
			*slot = k.tag<<24 | i
			t.grows(k.farStripe)
		}
	}
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
// op redundant. At most limit elements are looked at.
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
func (t *states) repeats(s State, a Access, limit int) bool {
	for ; s != 0 && limit > 0; limit-- {
		r := t.at(s)
		if r.made < a.Since {
			return false
		}
		if r.strand == a.Strand && covers(r.access().Op, a.Op) {
			return true
		}
		s = r.rest
	}
	return false
}

func (t *states) check(s State) {
	if invariants.Enabled && s != 0 && s.isList() {
		invariants.Assert(uint32(s) <= t.high, "shadow: state id beyond the table")
		invariants.Assert(t.at(s).length > 0, "shadow: empty record in use")
	}
}
