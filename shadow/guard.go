package shadow

// An access made under locks has one of them as its guard. Accesses side by side in a list that
// have the same lock for it are a chain, which an access that this lock keeps apart from all of
// them steps over; writes with the same guard are a chain of their own for reads, which look
// at nothing else. See record.other and record.past.

// exclusive is the bit of a guard that says how its lock was held.
const exclusive = 1

// add is push of the access being made, which gets its guard.
func (t *states) add(a *Access, rest State, compact uint32, o Order) State {
	if a.Guard = 0; a.Locks != 0 {
		a.Guard = t.guard(a, rest, o)
	}
	return t.push(a, rest, compact)
}

// guard chooses one of a's locks: the guard of the list below if a holds it, so that they are a
// chain, else one that the access in front of that list was made under, so that the next may be.
func (t *states) guard(a *Access, rest State, o Order) uint32 {
	below := t.at(rest) // of the empty list all zero
	if guard, shared := o.Shared(a.Locks, below.guard); shared {
		return guard
	}
	guard, _ := o.Shared(a.Locks, below.locks)
	return guard
}

// compareWrites tells o of the writes in the list s that the read a conflicts with.
func (t *states) compareWrites(s State, a *Access, latest uint32, o Order) {
	first := t.at(s)
	for w := t.firstWrite(s); w != 0; {
		e := t.at(w)
		if guarded(e.guard, a, o) {
			w = e.past
			continue
		}
		if e.strand.Task() != a.Strand.Task() && conflicts(e.op(), Read) && !guarded(e.locks, a, o) {
			t.compare(e, first, latest, o)
		}
		w = e.writes
	}
}

// firstWrite is the longest list in s that starts with a write.
func (t *states) firstWrite(s State) State {
	if s == 0 || t.at(s).op().Writes() {
		return s
	}
	return t.at(s).writes
}

// addGuarded puts a write in front of a long list that starts under a lock which keeps
// the two apart. A chain under a lock that the write holds is skipped at one go: of many tasks
// that take turns by a lock none is compared with all the others.
func (t *states) addGuarded(s State, a *Access, latest uint32, o Order) (State, bool) {
	if t.repeatsInLong(s, a, o) {
		return s, false
	}
	first := t.at(s)
	for n := s; n != 0; {
		r := t.at(n)
		if guarded(r.guard&^exclusive, a, o) { // then a holds it exclusively
			n = r.other
			continue
		}
		if r.strand != a.Strand && conflicts(r.op(), a.Op) && !guarded(r.locks, a, o) {
			t.compare(r, first, latest, o)
		}
		n = r.rest
	}
	next := t.add(a, s, first.compact(), o)
	return next, next == s
}

// guarded reports whether an access under these locks cannot have been made while a is.
func guarded(locks uint32, a *Access, o Order) bool {
	return locks != 0 && a.Locks != 0 && o.Excludes(locks)
}
