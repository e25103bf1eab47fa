package shadow

import "github.com/detrace/detrace/internal/offheap"

// RangeMemo remembers transitions of whole cells by ranges and rows of elements: for
// each kind of access those from one place, of one strand; for another it starts anew. It
// has what is remembered for audiences too.
// It must be forgotten in a collection. The zero value is empty.
type RangeMemo struct {
	kinds   [2]cellMoves
	second  cellMoves // of accesses made by turns
	readers attendance
	follow  followers
	thread  uint32 // one more than how many threads made accesses before; 0 if this one has not
}

// Forget empties the memo, of the thread that uses it from then on too.
func (m *RangeMemo) Forget() { *m = RangeMemo{thread: m.thread} }

// thread is the number of the thread behind o.
func (h *History) thread(o Order) uint32 {
	m := o.Ranges()
	if m.thread == 0 {
		m.thread = offheap.Add32(&h.states.threads, 1)
	}
	return m.thread
}

type cellMoves struct {
	strand Strand
	place  uint32
	op     Op
	mask   uint8 // the bytes of a cell that are accessed; 0 if that differs
	age    age   // entries of another one are empty
	moves  [64]cellMove
	lines  [32]lineMove
	pairs  [8]pairMove
}

// age counts how often a cellMoves starts anew: to do that by clearing took longer than all that
// a short task does.
type age uint16

// pairMove is a transition of a line with a pair to one with another, or the same, by an access
// to all of its bytes that have a history, and no others. Which of them has which state changes
// nothing about it.
type pairMove struct {
	bytes         uint64 // 0 in an entry that is not used
	set           uint32 // the units that they are the first ones of
	before, after uint32 // numbers of pairs
	context       uint32
	swapped       bool // what had the first state before has the second one after
	age           age
}

// lineMove is a transition of a line that is not split, by an access to some bytes.
type lineMove struct {
	before, after Line
	bytes         uint64 // 0 in an entry that is not used
	context       uint32
	age           age
}

// cellMove is a transition of whole cells.
type cellMove struct {
	key     uint64 // the cell before, plus 1: 0 in an entry that is not used
	new     cell
	mask    uint8 // the bytes that are accessed
	changed uint8 // the bytes that take another state
	age     age
	context uint32 // in which new was reached last
	// The contexts of the halves become what is in keep of them, and what is in set
	// of that of the access.
	keep, set [2]uint32
}

// about returns the memo of accesses like a to the bytes in mask of each cell.
func (m *RangeMemo) about(a *Access, mask uint8) *cellMoves {
	return m.kinds[a.Op&1].of(a, mask)
}

// turn is about for the accesses made by turns, of which a is the one of number i.
func (m *RangeMemo) turn(i int, a *Access) *cellMoves {
	if i == 0 {
		return m.about(a, 0)
	}
	return m.second.of(a, 0)
}

func (c *cellMoves) of(a *Access, mask uint8) *cellMoves {
	if c.strand != a.Strand || c.place != a.Place || c.op != a.Op || c.mask != mask {
		if c.age++; c.age == 0 {
			*c = cellMoves{age: 1}
		}
		c.strand, c.place, c.op, c.mask = a.Strand, a.Place, a.Op, mask
	}
	return c
}

// entry is where the transition of a cell with the value v is, or belongs.
func (m *cellMoves) entry(v cell) *cellMove {
	e := &m.moves[(v^v>>7^v>>32)%cell(len(m.moves))]
	if e.age != m.age {
		*e = cellMove{age: m.age}
	}
	return e
}

// line is entry for a line.
func (m *cellMoves) line(l Line, bytes uint64) *lineMove {
	e := &m.lines[(uint64(l)^uint64(l)>>27^bytes>>8)%uint64(len(m.lines))]
	if e.age != m.age {
		*e = lineMove{age: m.age}
	}
	return e
}

// pair is entry for a line with the pair of that number.
func (m *cellMoves) pair(id uint32) *pairMove {
	e := &m.pairs[id%uint32(len(m.pairs))]
	if e.age != m.age {
		*e = pairMove{age: m.age}
	}
	return e
}

// learn makes the transition of a cell by an access to the bytes in mask known.
func (m *cellMoves) learn(old, new cell, mask, changed uint8, context uint32) {
	e := m.entry(old)
	if m.mask == 0 {
		e = m.entry(old ^ cell(mask)<<16)
	}
	*e = cellMove{key: uint64(old) + 1, new: new, mask: mask, changed: changed, age: m.age, context: context}
	for k := range e.keep {
		half := uint8(0x0f) << (4 * k)
		switch {
		case changed&half == 0:
			e.keep[k] = ^uint32(0)
		case old.occupied()&half&^changed == 0:
			e.set[k] = ^uint32(0)
		}
	}
}
