package shadow

import "math/bits"

// What follows is how reads come to rolls.

const (
	// scatterReads is how many lines a strand must have wanted to split by reads, each away from
	// those before, until it makes rolls of them: who reads what lies side by side, or in steps of one
	// length as the columns of a matrix, shares states with others who do.
	scatterReads = 32
	noScatter    = 1<<31 - 1

	// scatterFine is what it costs a thread to write to a line that was rolled: mostly what is
	// written once is written again.
	scatterFine  = 64
	scatterFines = -64 * scatterFine

	// looksBack is at how many of the latest sheets of a roll one looks who comes to it, of which
	// mostOwn may be of the strand itself: a strand has one for each place and call path.
	looksBack = 8
	mostOwn   = 4
)

// Scatters notes that a read by u wants to split the line of addr, and reports whether the history
// may know better.
//
//go:nosplit
func (h *History) Scatters(m *RangeMemo, u Strand, addr uintptr) bool {
	return m.readers.about(u).scatters(addr, h.states.rolls.scatter)
}

// scatters is Scatters for the strand that the memo is about.
//
//go:nosplit
func (m *attendance) scatters(addr uintptr, limit int32) bool {
	line := uint32(addr / lineBytes)
	for i := range m.recent {
		if d := line - m.recent[i]; d+1 <= 2 || d == m.strides[i] {
			m.recent[i] = line
			if d != 0 && m.jumps > 0 {
				m.jumps--
			}
			return m.jumps >= limit
		}
	}
	last := m.recent[m.turn%uint32(len(m.recent))]
	m.turn++
	m.recent[m.turn%uint32(len(m.recent))], m.strides[m.turn%uint32(len(m.strides))] = line, line-last
	if m.jumps < scatterReads {
		m.jumps++
	}
	return m.jumps >= limit
}

// rolls reports whether the line of p, with the word l, is in a roll now, as a read of one byte
// of it is one of many that are scattered.
func (s *step) rolls(p uintptr, l Line, bytes uint64) bool {
	t, rest := &s.history.states, l.state()
	if !s.one || t.rolls.scatter == noScatter || !l.IsRun() || bytes&^l.bytes() != 0 || !rest.isList() {
		return false
	}
	p += uintptr(bits.TrailingZeros64(bytes)) - p%lineBytes
	if !s.order.Ranges().readers.about(s.access.Strand).scatters(p, t.rolls.scatter) || !s.comes(rest) {
		return false
	}
	own := s.seat(s.attends())
	if own == 0 {
		return false
	}
	lock := t.rolls.lockOf(p)
	lock.Lock()
	state := s.window.rollOf(p, rest, uint32(bits.TrailingZeros64(uint64(l>>LineStep&7)+1)))
	ok := state != 0 && t.roll(state).open(p) && s.sheetOf(state, own) != nil &&
		s.window.exchange(p, l, l&^(MaxStates-1)|Line(state))
	lock.Unlock()
	return ok
}

// comes reports whether the access, a read, may be in a roll in front of a list: if all that it does to
// that is to be in front.
func (s *step) comes(rest State) bool {
	s.order.At(0) // wherever the list is
	return s.behind(rest, s.attends()) == joins
}

// sheetOf is the sheet of the reader, which makes the access, in the roll st, made if need be; nil
// if it can have none. The lock is held.
func (s *step) sheetOf(st State, own uint32) *sheet {
	p, id := &s.history.states.rolls, uint32(st-firstRoll)
	if known := p.slots.find(id, own); known != 0 {
		return p.sheets.At(known)
	}
	if !s.fits(p.At(id)) {
		return nil
	}
	return p.newSheet(id, own)
}

// fits reports whether the strand should have one more sheet of r, by a look at who came last. A
// list forgets reads that precede others from the same site, which sheets do not: where ordered
// strands read the same, nobody comes to the roll any more.
func (s *step) fits(r *roll) bool {
	m, own := s.attends(), 0
	for i := range min(r.sheets, looksBack) {
		switch s.beside(r.latest[i], m) {
		case repeats:
			own++
		case differs:
			r.full = true
		}
	}
	return !r.full && own < mostOwn
}

// inRoll makes the access to bytes of the line of p, which has the word l and is in a roll. false
// means that the line must be looked at again.
func (s *step) inRoll(p uintptr, l Line, bytes uint64) bool {
	if s.reads(p&^(lineBytes-1), l, bytes) {
		s.rolled = true
		return true
	}
	if s.access.Op.Writes() {
		m := s.order.Ranges().readers.about(s.access.Strand)
		m.jumps = max(m.jumps-scatterFine, scatterFines)
	}
	s.window.split(p, l)
	return false
}

// reads is inRoll for the line at p if all there is to do is to set bits of a sheet.
func (s *step) reads(p uintptr, l Line, bytes uint64) bool {
	t := &s.history.states
	if s.access.Op != Read || bytes&^l.bytes() != 0 || t.rolls.scatter == noScatter {
		return false
	}
	own := s.seat(s.attends())
	if own == 0 {
		return false
	}
	r, mine := t.roll(l.state()), s.sheet(p, l.state(), own)
	if mine == nil {
		return false
	}
	s.moved = true
	return mine.reads(r.places(p, bytes)) && r.open(p)
}

// sheet is the sheet of the reader, which makes the access, in the roll st of the line at p;
// nil if it can have none.
func (s *step) sheet(p uintptr, st State, own uint32) *sheet {
	t, id := &s.history.states.rolls, uint32(st-firstRoll)
	if known := t.slots.find(id, own); known != 0 {
		return t.sheets.At(known)
	}
	if !s.comes(t.At(id).rest) {
		return nil
	}
	lock := t.lockOf(p)
	lock.Lock()
	mine := s.sheetOf(st, own)
	lock.Unlock()
	return mine
}
