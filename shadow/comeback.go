package shadow

// Who synchronises with every step comes back to a journal in another strand each time. Most
// of what is to be said of such an access was said of the former one of its task, from the
// same place: it takes the place of its former self, and nobody is asked.
//
// What conflicts with that and is behind it precedes it in every schedule, or it had not come
// into the journal; so it precedes what its task does later. (What was said to be so of memory
// on loan is not counted among what came into the journal.) In front of it nothing may be
// that conflicts. What is left is what can be forgotten now, as the task may have learned of it
// meanwhile: of another task's, which does not conflict. Nothing is, if it has learned
// nothing, or if all of the journal is its own.
//
// A read that is loose does not look for that. What is forgotten later than it might be
// hides nothing and is no wrong to anybody: it precedes a read of the same site in every
// schedule, and whatever races with it races with that.

// soloLength is how many entries of one task a journal may have that an access comes
// back to whatever it learned: none of them is one too many, see maxDominated.
const soloLength = maxDominated + 1

// back is Access for a byte with a journal to which the task of a comes back, or of which all
// precedes a. Otherwise it returns 0, and nothing has happened. Cost: a look at the journal,
// and a query.
func (h *History) back(w *Window, addr uintptr, a *Access, o Order) (s State, changed bool) {
	if a.Locks != 0 && a.Taught == 0 {
		return 0, false
	}
	if s = h.stateInCell(w, addr); !s.isJournal() {
		return 0, false
	}
	t := &h.states
	j := t.journal(s)
	j.lock.Lock()
	role := differs
	if !j.closed {
		o.At(addr)
		role = t.again(j, a, o)
	}
	j.lock.Unlock()
	if role == differs {
		return 0, false
	}
	return s, role == joins
}

// again is back for the open journal j, whose lock is held.
func (t *states) again(j *journal, a *Access, o Order) role {
	if a.Loose && a.Taught != 0 {
		if drops, mixed := t.returns(j, a, o); drops != 0 {
			t.takesPlace(j, a, drops)
			t.tell(j, mixed, o)
			return joins
		}
	}
	if a.Locks != 0 {
		return differs
	}
	if a.Learned != 0 {
		if drops := t.comesBack(j, a); drops != 0 {
			mixed := uint32(0)
			if a.Op.Atomic() {
				mixed = j.mixed
			}
			t.takesPlace(j, a, drops)
			t.tell(j, mixed, o)
			return joins
		}
	}
	if !j.ordered || !a.after(j.entries[0].strand, o) {
		return differs
	}
	role, drops := t.succession(j, a)
	if role == joins {
		if !t.fits(j, drops) {
			return differs
		}
		t.put(j, a, drops)
		t.tell(j, 0, o)
	}
	return role
}

// takesPlace puts a in front instead of its former self.
func (t *states) takesPlace(j *journal, a *Access, drops uint32) {
	j.ordered = j.ordered && j.entries[0].strand.Task() == a.Strand.Task()
	t.put(j, a, drops)
}

// comesBack is the entry, as in drops, of which a may take the place without a question: the
// same access by its task, none of them under locks: for those see returns. An atomic operation
// must be the latest, as it is not known what others told, unless there are no others; what was
// told is to be told again.
func (t *states) comesBack(j *journal, a *Access) (drops uint32) {
	siteOp := a.siteOp()
	for i := range min(uint32(j.added), renewable) {
		e := t.entry(j, i)
		switch {
		case e.strand.Task() != a.Strand.Task():
			if !a.Loose || a.Op != Read || e.op().Writes() {
				return 0
			}
		case e.strand == a.Strand:
			if a.Op == Read || covers(e.op(), a.Op) {
				return 0
			}
		case e.place == a.Place && e.siteOp == siteOp && e.context == a.Context && e.locks == 0:
			if e.strand > a.Strand || !t.succeeds(j, i, a) {
				return 0
			}
			return 1 << i
		case covers(a.Op, e.op()) && (e.site() == a.Site || a.Op != Read && !t.solo(j, a)):
			return 0
		}
	}
	return 0
}

// succeeds reports whether a may take the place of entry i, which is the same access by its
// task in an earlier strand.
func (t *states) succeeds(j *journal, i uint32, a *Access) bool {
	if a.Op == Read && a.Loose {
		return true
	}
	learned := t.entry(j, i).strand.Index()+1 < a.Learned
	if (a.Op != Read || learned) && t.leaves(j, i, a) {
		return false
	}
	return a.Op == Write || !learned && (i == 0 || a.Op == Read) || t.solo(j, a)
}

// solo reports whether all of j is of a's task, and nothing of it is too much.
func (t *states) solo(j *journal, a *Access) bool {
	if j.length > soloLength {
		return false
	}
	for i := range j.length {
		if t.entry(j, i).strand.Task() != a.Strand.Task() {
			return false
		}
	}
	return true
}

// leaves reports whether the strand of entry i made another access before, which was kept
// for that and which a may replace.
func (t *states) leaves(j *journal, i uint32, a *Access) bool {
	u := t.entry(j, i).strand
	for i++; i < j.length; i++ {
		if e := t.entry(j, i); e.strand == u && covers(a.Op, e.op()) {
			return true
		}
	}
	return false
}
