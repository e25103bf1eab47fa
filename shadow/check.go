package shadow

import "github.com/detrace/detrace/internal/invariants"

// check asserts, after a collection, that every cell leads to states that are in
// use and whole, and that blocks are used by one cell each. Builds without the tag
// "invariants" never call it.
func (h *History) check() {
	h.states.checkAll()
	for i := range h.Windows {
		w := &h.Windows[i]
		for off := w.next(0); off < w.Size; off = w.next(off + chunk) {
			for _, word := range w.words(off, off+chunk) {
				h.checkLine(Line(word))
				invariants.Assert(!Line(word).IsSplit() || w.hasSplit(w.Lo+off), "shadow: a split line in a chunk that has none")
			}
		}
	}
}

func (h *History) checkLine(l Line) {
	if l.IsSplit() {
		for i := range l.group() {
			h.checkCell(cell(l.group()[i].states))
		}
		return
	}
	q := h.pairs.parts(l)
	again, ok := h.pairs.line(&q, true)
	invariants.Assert(ok && again == l, "shadow: a line that is none")
	for i := range q.all {
		h.states.checkInUse(q.all[i].state)
	}
}

func (h *History) checkCell(c cell) {
	if c.isBlock() {
		mark := h.blocks.marks.At(uint32(c))
		invariants.Assert(uint32(c) <= h.blocks.high, "shadow: block id beyond the table")
		invariants.Assert(*mark == h.states.mark, "shadow: a free block, or one of two cells")
		*mark--
		for _, s := range &h.blocks.At(uint32(c)).states {
			h.states.checkInUse(State(s))
		}
		return
	}
	m0, s0 := c.slot(0)
	m1, s1 := c.slot(1)
	invariants.Assert(m0&m1 == 0, "shadow: a byte in two slots")
	invariants.Assert((m0 == 0) == (s0 == 0) && (m1 == 0) == (s1 == 0), "shadow: bytes without a state, or the reverse")
	h.states.checkInUse(s0)
	h.states.checkInUse(s1)
}

func (t *states) checkInUse(s State) {
	if s.isRoll() {
		t.checkRoll(s)
		return
	}
	if s.isAudience() {
		t.checkAudience(s)
		return
	}
	if s.isJournal() {
		t.checkJournal(s)
		return
	}
	invariants.Assert(s == 0 || uint32(s) <= t.high && t.at(s).marked(t.colour), "shadow: a cell leads to a state that was freed")
}

// checkAll asserts that states in use are lists of states in use, and that far slots have no
// others, which are found.
func (t *states) checkAll() {
	for i := uint32(1); i <= t.high; i++ {
		r := t.at(State(i))
		if !r.marked(t.colour) {
			continue
		}
		length, writes := uint32(1), State(0)
		if r.rest != 0 {
			below := t.at(r.rest)
			t.checkInUse(r.rest)
			length += below.length
			writes = below.writes
			if below.op().Writes() {
				writes = r.rest
			}
		}
		invariants.Assert(r.length == length, "shadow: wrong length")
		invariants.Assert(r.writes == writes, "shadow: wrong list of writes")
	}
	for i := range uint32(stripes) {
		own, used := &t.stripes[i], uint32(0)
		for _, v := range t.farSlots(i, max(own.farSlots, farFirst)) {
			if v == 0 {
				continue
			}
			used++
			s := State(v & (MaxStates - 1))
			t.checkInUse(s)
			r := t.at(s)
			var k key
			k.ofFar(r.strand, r.place, r.siteOp, r.rest)
			a := r.access()
			found, _ := t.findFar(&k, &a, r.siteOp, r.rest)
			invariants.Assert(found == s && k.farStripe == i, "shadow: a state in a far slot is not found")
		}
		invariants.Assert(own.farUsed == used, "shadow: a wrong number of far slots")
	}
}
