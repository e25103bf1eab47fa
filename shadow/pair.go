package shadow

import "github.com/detrace/detrace/internal/offheap"

// A pair is two (state, context) that some bytes of a line have, the one or the other. Many
// lines share it: the word of each says which bytes have which. State 0 has no bytes. A
// pair does not change.
type pair struct {
	states   [2]State
	contexts [2]uint32
}

// From the lowest bit, the word of a line with a pair has 24 of the pair's number, 16 that
// say in which units the first byte has the pair's first state, and 16 for the second.
const (
	linePair  = Line(1) << LinePair
	pairFirst = 24
	pairUnit  = 4  // bytes: only the first one of a unit has a history
	pairUnits = 16 // of a line

	maxPairs  = 1 << 16
	pairSlots = 2 * maxPairs
	nearPairs = 32 // slots looked at
)

// pairs is the table of pairs. What is in it is found without a lock.
type pairs struct {
	records offheap.Table[pair]
	slots   offheap.Table[uint32] // atomic: open addressing
	marks   offheap.Table[uint32]
	lock    offheap.Lock // guards the rest, and new slots
	high    uint32
	free    uint32 // list, by the first state
}

func (t *pairs) init() {
	t.records.Init(maxPairs)
	t.slots.Init(pairSlots)
	t.marks.Init(maxPairs)
}

//go:nosplit
func (l Line) isPair() bool { return l>>LinePair == 1 }

// IsRun reports whether the line says all by itself.
//
//go:nosplit
func (l Line) IsRun() bool { return l>>LinePair == 0 }

// part is bytes of a line that have a state, which was reached last in a context.
type part struct {
	bytes   uint64
	state   State
	context uint32
}

// parts is all bytes of a line that have a history.
type parts struct {
	all [2]part
	n   int
}

// add adds bytes; false if they make one part too many.
func (q *parts) add(bytes uint64, s State, context uint32) bool {
	if bytes == 0 || s == 0 {
		return true
	}
	for i := range q.all[:q.n] {
		if p := &q.all[i]; p.state == s && p.context == context {
			p.bytes |= bytes
			return true
		}
	}
	if q.n == len(q.all) {
		return false
	}
	q.all[q.n] = part{bytes, s, context}
	q.n++
	return true
}

// parts returns what a line that is not split says.
func (t *pairs) parts(l Line) (q parts) {
	if !l.isPair() {
		q.add(l.bytes(), l.state(), l.context())
		return q
	}
	p := t.records.At(uint32(l.state()))
	for i := range p.states {
		set := uint64(l>>(pairFirst+i*pairUnits)) & (1<<pairUnits - 1)
		q.add(spreadLine(set, pairUnit), p.states[i], p.contexts[i])
	}
	return q
}

// without is q after bytes were forgotten.
func (q *parts) without(bytes uint64) (rest parts) {
	for _, p := range q.all[:q.n] {
		rest.add(p.bytes&^bytes, p.state, p.context)
	}
	return rest
}

// bytes is all of them.
func (q *parts) bytes() uint64 { return q.all[0].bytes | q.all[1].bytes }

// line returns the line that says q, by a pair only if that may be; false if there is none.
func (t *pairs) line(q *parts, mayPair bool) (Line, bool) {
	if q.n == 0 {
		return 0, true
	}
	p := &q.all
	if q.n == 1 {
		if l, ok := newLine(p[0].bytes, p[0].state, p[0].context); ok {
			return l, true
		}
	}
	if !mayPair || (p[0].bytes|p[1].bytes)&^steps[pairUnit-1] != 0 {
		return 0, false
	}
	if q.n == 2 && (p[0].state > p[1].state || p[0].state == p[1].state && p[0].context > p[1].context) {
		p[0], p[1] = p[1], p[0]
	}
	id := t.intern(pair{[2]State{p[0].state, p[1].state}, [2]uint32{p[0].context, p[1].context}})
	return linePair | Line(id) | Line(units(p[0].bytes))<<pairFirst | Line(units(p[1].bytes))<<(pairFirst+pairUnits), id != 0
}

// sets is the units that have the first state of the pair of l, and those that have the second.
func (l Line) sets() (first, second uint32) {
	return uint32(l>>pairFirst) & (1<<pairUnits - 1), uint32(l>>(pairFirst+pairUnits)) & (1<<pairUnits - 1)
}

// pairAfter returns the line after an access to bytes of a line with a pair, if that is known;
// otherwise 0.
func (s *step) pairAfter(l Line, bytes uint64) Line {
	if !l.isPair() {
		return 0
	}
	id := uint32(l.state())
	e := s.ranges.pair(id)
	first, second := l.sets()
	if e.before != id || e.bytes != bytes || e.set != first|second || e.context != s.access.Context {
		return 0
	}
	if e.swapped {
		first, second = second, first
	}
	return linePair | Line(e.after) | Line(first)<<pairFirst | Line(second)<<(pairFirst+pairUnits)
}

// learnPair makes a transition known to pairAfter, if it is one that it knows.
func (s *step) learnPair(l, next Line, bytes uint64) {
	if !l.isPair() || !next.isPair() {
		return
	}
	first, second := l.sets()
	was, is := [2]uint32{first, second}, [2]uint32{}
	is[0], is[1] = next.sets()
	swapped := is == [2]uint32{second, first}
	if first == 0 || second == 0 || spreadLine(uint64(first|second), pairUnit) != bytes || is != was && !swapped {
		return
	}
	id := uint32(l.state())
	e := s.ranges.pair(id)
	*e = pairMove{bytes, first | second, id, uint32(next.state()), s.access.Context, swapped, e.age}
}

// intern returns the number of p; 0 if the table is full.
func (t *pairs) intern(p pair) uint32 {
	first := p.hash()
	for i := range uint32(nearPairs) {
		id := offheap.Load32(t.slots.At((first + i) % pairSlots))
		if id == 0 {
			break
		}
		if *t.records.At(id) == p {
			return id
		}
	}
	t.lock.Lock()
	id := t.insert(first, &p)
	t.lock.Unlock()
	return id
}

// insert is intern with the lock held.
func (t *pairs) insert(first uint32, p *pair) uint32 {
	for i := range uint32(nearPairs) {
		slot := t.slots.At((first + i) % pairSlots)
		id := offheap.Load32(slot)
		if id == 0 {
			if id = t.take(); id != 0 {
				*t.records.At(id) = *p
				offheap.Store32(slot, id)
			}
			return id
		}
		if *t.records.At(id) == *p {
			return id
		}
	}
	return 0
}

func (t *pairs) take() uint32 {
	id := t.free
	if id != 0 {
		t.free = uint32(t.records.At(id).states[0])
	} else if t.high+1 < maxPairs {
		t.high++
		id = t.high
	}
	return id
}

// hash is the first slot that p may be in.
func (p *pair) hash() uint32 {
	h := (uint64(p.states[0])<<32 | uint64(p.states[1])) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>32 ^ uint64(p.contexts[0])<<32 ^ uint64(p.contexts[1])) * 0x94D049BB133111EB
	return uint32(h >> 40)
}

// sweep frees the pairs that the collection of the given number did not mark.
func (t *pairs) sweep(mark uint32) {
	t.slots.Discard(0, pairSlots)
	t.free = 0
	for id := t.high; id > 0; id-- {
		p := t.records.At(id)
		if *t.marks.At(id) != mark {
			*p = pair{states: [2]State{State(t.free)}}
			t.free = id
			continue
		}
		first := p.hash()
		for i := range uint32(nearPairs) {
			if slot := t.slots.At((first + i) % pairSlots); *slot == 0 {
				*slot = id
				break
			}
		}
	}
}

// spreadLine is the bytes of a line, from the first one on, at which the elements of set
// begin, stride apart.
func spreadLine(set uint64, stride uintptr) uint64 {
	for ; stride > 1; stride /= 2 {
		set = (set | set<<16) & 0x0000ffff_0000ffff
		set = (set | set<<8) & 0x00ff00ff_00ff00ff
		set = (set | set<<4) & 0x0f0f0f0f_0f0f0f0f
		set = (set | set<<2) & 0x33333333_33333333
		set = (set | set<<1) & 0x55555555_55555555
	}
	return set
}

// units is spreadLine backwards, for units.
func units(bytes uint64) uint64 {
	bytes = (bytes | bytes>>3) & 0x03030303_03030303
	bytes = (bytes | bytes>>6) & 0x000f000f_000f000f
	bytes = (bytes | bytes>>12) & 0x000000ff_000000ff
	return (bytes | bytes>>24) & 0xffff
}
