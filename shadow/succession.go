package shadow

// Who comes to a byte mostly comes after all that is remembered of it, in every schedule. Of a
// journal that is known of the first entry, if all others precede that: then one question
// answers for all, as to precede is transitive. The answer yes stands as long as the strand does,
// and most of what a strand meets is of the same few others.

// follower is a strand of and one that precedes it in every schedule.
type follower struct{ u, of Strand }

// followers has answers about the strands of one thread.
type followers [32]follower

// at is where what is known of u and of is.
//
//go:nosplit
func (m *followers) at(u, of Strand) *follower {
	return &m[(uint64(u)*0x9E3779B97F4A7C15^uint64(of)*0xC2B2AE3D27D4EB4F)>>40%uint64(len(m))]
}

// follows reports whether u is known to be the strand of a or to precede it in every schedule, as all do that
// its task had before.
//
//go:nosplit
func (a *Access) follows(u Strand, m *RangeMemo) bool {
	return u.Task() == a.Strand.Task() || *m.follow.at(u, a.Strand) == follower{u, a.Strand}
}

// learnAhead lets follows say yes from now on, if what was said of u is not about some memory
// alone.
func (m *RangeMemo) learnAhead(u Strand, a *Access) {
	if !a.Lent {
		*m.follow.at(u, a.Strand) = follower{u, a.Strand}
	}
}

// after reports whether u is the strand of a or precedes it in every schedule, whatever memory
// a is to. Cost: at most one query.
func (a *Access) after(u Strand, o Order) bool {
	m := o.Ranges()
	if a.follows(u, m) {
		return true
	}
	if !o.Precedes(u) || !o.Certain(u) || a.Lent {
		return false
	}
	m.learnAhead(u, a)
	return true
}

// succession is review for an access without locks that all of the ordered journal j precedes,
// or is of its strand. That strand has made its accesses one after the other, so what is left of
// them is in front. What renews says is not asked: since a task that has learned nothing made the
// same read, nothing of others has come that precedes it. Whether there is room is not looked at.
//
//go:nosplit
func (t *states) succession(j *journal, a *Access) (r role, drops uint32) {
	i := uint32(0)
	for ; i < j.length; i++ {
		e := t.entry(j, i)
		if e.strand != a.Strand {
			break
		}
		if covers(e.op(), a.Op) {
			return repeats, 0
		}
	}
	for dominated := 0; i < j.length; i++ {
		if e := t.entry(j, i); covers(a.Op, e.op()) && !keepsDominated(&dominated, maxDominated, e.site(), a.Site) {
			drops |= 1 << i
		}
	}
	return joins, drops
}
