package shadow

// Most of those who come back to a journal find their former self in front, or behind what they did
// themselves since, or come after all of it and know that. This much is seen on the stack of the judged
// program, where there is so little room that it takes three steps, none of which calls much.

// Take is what an access does to a journal: which entries it replaces, and whether it is put in front of
// the others, or adds nothing; 0 if that is not known.
type Take uint32

const (
	takes Take = 1 << 31 // it is put in front
	adds  Take = 1 << 30 // it adds nothing
)

// LockJournal returns the journal of the byte at addr in w, locked; 0 if it has none, or somebody else has
// it. No collection may come before Retake.
//
//go:nosplit
func (h *History) LockJournal(w *Window, addr uintptr) (s State) {
	if s = h.stateInCell(w, addr); !s.isJournal() || !h.states.journal(s).lock.TryLock() {
		return 0
	}
	return s
}

// Retakes is comesBack, of a plain access a, loose and without locks, to the locked journal s, where
// one look at each entry says it. Then that is what the history does. Cost: a look at the journal.
//
//go:nosplit
func (h *History) Retakes(s State, a *Access) Take {
	t := &h.states
	j := t.journal(s)
	if j.closed {
		return 0
	}
	siteOp := a.siteOp()
	for i := range min(uint32(j.added), renewable) {
		switch e := t.entry(j, i); {
		case e.strand.Task() != a.Strand.Task():
			if a.Op != Read || e.op().Writes() {
				return 0
			}
		case e.strand == a.Strand:
			if a.Op == Read || e.op() == Write {
				return 0
			}
		case e.place == a.Place && e.siteOp == siteOp && e.context == a.Context && e.locks == 0:
			if e.strand > a.Strand {
				return 0
			}
			for k := i + 1; a.Op != Read && k < j.length; k++ {
				if t.entry(j, k).strand == e.strand {
					return 0
				}
			}
			j.ordered = j.ordered && j.entries[0].strand.Task() == a.Strand.Task()
			return takes | 1<<i
		case a.Op != Read || !e.op().Writes() && e.site() == a.Site:
			return 0
		}
	}
	return 0
}

// Succeeds is succession, of the access a of a thread that remembers m, in the locked journal s, if all of
// that is known to precede a and there is room.
//
//go:nosplit
func (h *History) Succeeds(s State, a *Access, m *RangeMemo) Take {
	t := &h.states
	j := t.journal(s)
	if j.closed || !j.ordered || !a.follows(j.entries[0].strand, m) {
		return 0
	}
	r, drops := t.succession(j, a)
	switch {
	case r == repeats:
		return adds
	case !t.roomy(j, drops):
		return 0
	}
	return takes | Take(drops)
}

// Retake does to the locked journal s what was said of a, and unlocks it.
//
//go:nosplit
func (h *History) Retake(s State, a *Access, what Take) {
	j := h.states.journal(s)
	if what&takes != 0 {
		h.states.put(j, a, uint32(what&^takes))
		j.mixed = 0
	}
	j.lock.Unlock()
}
