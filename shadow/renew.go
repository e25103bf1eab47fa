package shadow

// renewable is among how many of a list's latest accesses one is looked for that a read
// takes the place of.
const renewable = 8

// renew is follow for a read that the strand's task made before, from the same place and
// under the same locks, when it has learned nothing in between: then the read takes the
// place of that one, and what was to be remembered beside that still is. It returns 0 where
// it is not so.
// Cost: a query per write in the list.
func (t *states) renew(s State, a *Access, latest uint32, o Order) (next State) {
	if a.Op != Read || a.Learned == 0 || a.Learned > a.Strand.Index() { // or learned just now
		return 0
	}
	var later [renewable]State
	n, old := 0, s
	for ; !t.earlier(old, a); n++ {
		if old == 0 || n == renewable || t.touches(old, a) {
			return 0
		}
		later[n], old = old, t.at(old).rest
	}
	t.compareWrites(s, a, latest, o)
	rest := t.at(old).rest
	for ; n > 0; n-- {
		r := t.at(later[n-1])
		e := r.access()
		if next = t.pushBy(a, &e, rest, r.compact()); next == rest {
			return 0
		}
		rest = next
	}
	if next = t.add(a, rest, t.at(s).compact(), o); next == rest {
		return 0
	}
	return next
}

// earlier reports whether s begins with the same read as a, by the same task, in an earlier
// strand that knew as much.
func (t *states) earlier(s State, a *Access) bool {
	if s == 0 {
		return false
	}
	r := t.at(s)
	return r.place == a.Place && r.siteOp == a.siteOp() && r.locks == a.Locks &&
		r.strand.Task() == a.Strand.Task() && r.strand < a.Strand && r.strand.Index()+1 >= a.Learned
}

// touches reports whether the first access of s, by the task of a itself, makes a redundant
// or may be made redundant by it.
func (t *states) touches(s State, a *Access) bool {
	r := t.at(s)
	return r.strand == a.Strand || r.strand.Task() == a.Strand.Task() && r.site() == a.Site && covers(a.Op, r.op())
}
