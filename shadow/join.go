package shadow

import "github.com/detrace/detrace/internal/offheap"

// What follows lets a read join an audience without asking anybody. It runs on the stack of
// the judged program.

// Join is attend for strand u, as the given reader in context, where m remembers all that
// attend would ask: of the byte at addr in w. It returns the audience if u is in it then,
// otherwise 0. No collection may come between the call and the return.
//
//go:nosplit
func (h *History) Join(w *Window, m *RangeMemo, addr uintptr, u Strand, reader, context uint32) State {
	r, c := &m.readers, w.Cell(addr)
	if c == nil {
		return 0
	}
	v := c.Load()
	s := Peek(v, addr)
	if s == 0 {
		s = h.PeekBlock(v, addr)
	}
	if r.known != u || !s.isAudience() {
		return 0
	}
	b := h.states.audience(s)
	rest := b.rest
	for ; rest.isAudience(); rest = h.states.audience(rest).rest {
		for i := range b.readers {
			if !r.joins(h.states.audience(rest).readers[i]) {
				return 0
			}
		}
	}
	if !h.states.behind(rest, r) {
		return 0
	}
	for i := range b.readers {
		id := offheap.Load32(&b.readers[i])
		switch {
		case id == reader:
			return s
		case id == 0:
			if !offheap.CAS32(&b.readers[i], 0, reader) {
				return 0
			}
			c.remember(cell(v).occupied(), 1<<(addr&7), context)
			return s
		case !r.joins(id):
			return 0
		}
	}
	return 0
}

// behind reports whether a read is known to join behind the list s. It is [step.behind] by
// the memo alone.
//
//go:nosplit
func (t *states) behind(s State, m *attendance) bool {
	for s != 0 {
		r := t.records.At(uint32(s))
		if *m.order(r.strand) != asked(r) {
			return false
		}
		s = r.rest
	}
	return true
}

// ahead marks a strand that precedes the one whose the memo is.
const ahead = Strand(1) << 63

// asked is what the memo has of the strand of r if a read joins behind it: the strand if it
// is unordered, marked if what it wrote is before in every schedule.
//
//go:nosplit
func asked(r *record) Strand {
	if r.op().Writes() {
		return r.strand | ahead
	}
	return r.strand
}

// order is where the memo has u.
//
//go:nosplit
func (m *attendance) order(u Strand) *Strand {
	return &m.orders[(uint32(u.Task())^u.Index())%uint32(len(m.orders))]
}

// joins reports whether a read is known to join beside r.
//
//go:nosplit
func (m *attendance) joins(r uint32) bool { return m.beside[r%uint32(len(m.beside))] == r }

// JoinRoll is [History.Join] for a byte of a line in a roll, a run that has the byte: it reports
// whether the reader has read it then. The line must have had the word l since no collection could come.
//
//go:nosplit
func (h *History) JoinRoll(l Line, addr uintptr, reader uint32) bool {
	p, id := &h.states.rolls, uint32(l.state()-firstRoll)
	level, key := offheap.Load32(&p.slots.level), slotKey(id, reader)
	for i := range uint32(slotProbes) {
		v := offheap.Load64(p.slots.at(level, id, reader, i))
		if v == 0 {
			break
		}
		if v^key < 1<<sheetBits {
			r := p.At(id)
			return p.sheets.At(uint32(v^key)).reads(r.place(addr)) && r.open(addr)
		}
	}
	return false
}

// IsRoll reports whether a line in state s is in a roll.
//
//go:nosplit
func IsRoll(s State) bool { return s.isRoll() }
