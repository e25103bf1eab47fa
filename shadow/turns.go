package shadow

// Tasks that take turns, under a lock or by atomic operations, come back to a journal of which they
// know no more in every schedule than before: what others did meanwhile is ordered by luck, if at all.
// So what is behind the former self of an access stands to it as it stood to that. What is in front
// may not conflict, unless a lock that both were made under keeps it apart, which orders it too;
// and of atomic operations there it is to be told. Whether the lock protects anything is asked each
// time, as it may turn out meanwhile that it does not. What the list would forget beside that, of the
// task's own, is left for another time, as for loose reads.

// returns is the entry, as in drops, of which the loose access a may take the place so, and which
// entries are to be told of. Cost: a look at the journal, and a query for each atomic operation in front.
func (t *states) returns(j *journal, a *Access, o Order) (drops, mixed uint32) {
	siteOp, i := a.siteOp(), uint32(0)
	for ; ; i++ {
		if i == uint32(j.added) {
			return 0, 0
		}
		e := t.entry(j, i)
		own := e.strand.Task() == a.Strand.Task()
		if own && e.strand < a.Strand && e.place == a.Place && e.siteOp == siteOp && e.context == a.Context && e.locks == a.Locks {
			if e.strand.Index()+1 < a.Taught {
				return 0, 0
			}
			break
		}
		switch {
		case own:
			if e.strand == a.Strand && covers(e.op(), a.Op) {
				return 0, 0
			}
		case conflicts(e.op(), a.Op):
			if !guarded(e.locks, a, o) {
				return 0, 0
			}
		case (e.op().Writes() || a.Op.Writes()) && !(o.Precedes(e.strand) && o.Certain(e.strand)):
			mixed |= 1 << i
		}
	}
	if !t.stillGuarded(j, i+1, a, o) {
		return 0, 0
	}
	return 1 << i, behind(mixed, 1<<i)
}

// stillGuarded reports whether locks keep those entries from i on apart from a that conflict and
// were made under any, if a is.
func (t *states) stillGuarded(j *journal, i uint32, a *Access, o Order) bool {
	if a.Locks == 0 {
		return true
	}
	for last := uint32(0); i < j.length; i++ {
		e := t.entry(j, i)
		if e.locks == 0 || e.locks == last || !conflicts(e.op(), a.Op) || e.strand.Task() == a.Strand.Task() {
			continue
		}
		if last = e.locks; !guarded(last, a, o) {
			return false
		}
	}
	return true
}
