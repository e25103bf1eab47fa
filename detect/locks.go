package detect

import (
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// locks knows which sets of locks tasks hold. Two accesses under one lock are not
// ordered by luck: the lock keeps them apart in every schedule, whatever their order.
//
// A lock is a number, given when it is first taken and never again: a new lock at an old
// address is another one. A word is a lock and how it is held; a set is a word
// alone, marked as such, or the number of a list of words. 0 is the empty set. What there
// is no room for is left out: then too much is taken for luck, never too little.
type locks struct {
	sets  offheap.Table[lockSet]
	index offheap.Table[uint32] // open addressing
	loose offheap.Table[uint8]  // by lock: 1 if one task gave it back for another
	lock  offheap.Lock          // guards the rest, and insertions
	count uint32                // sets
	given uint32                // locks
}

const (
	maxLocks    = 1 << 26
	maxSets     = 1 << 18
	setSlots    = 2 * maxSets
	setWords    = 7
	single      = 1 << 31 // marks a set of one word
	exclusively = 1       // the bit of a word
)

type lockSet struct {
	n     uint32
	words [setWords]uint32 // sorted
}

func (l *locks) init() {
	l.sets.Init(maxSets)
	l.index.Init(setSlots)
	l.loose.Init(maxLocks)
}

// number is the number of a lock that has none yet; 0 when there are no more.
func (l *locks) number() uint32 {
	l.lock.Lock()
	n := uint32(0)
	if l.given < maxLocks-1 {
		l.given++
		n = l.given
	}
	l.lock.Unlock()
	return n
}

// words lists a set.
func (l *locks) words(set uint32) (s lockSet) {
	switch {
	case set == 0:
	case set&single != 0:
		s.n, s.words[0] = 1, set&^single
	default:
		s = *l.sets.At(set)
	}
	return s
}

// set is the number of a list.
func (l *locks) set(s lockSet) uint32 {
	switch s.n {
	case 0:
		return 0
	case 1:
		return s.words[0] | single
	}
	h := uint32(0)
	for _, w := range s.words[:s.n] {
		h = (h ^ w) * 0x9E3779B1
	}
	l.lock.Lock()
	i := h % setSlots
	slot := l.index.At(i)
	for *slot != 0 && *l.sets.At(*slot) != s {
		i = (i + 1) % setSlots
		slot = l.index.At(i)
	}
	if *slot == 0 && l.count < maxSets-1 {
		l.count++
		*l.sets.At(l.count) = s
		*slot = l.count
	}
	set := *slot
	l.lock.Unlock()
	return set
}

// with is set and w. A lock that is held already, for reading, stays as it is.
func (l *locks) with(set, w uint32) uint32 {
	s := l.words(set)
	i := uint32(0)
	for i < s.n && s.words[i] < w&^exclusively {
		i++
	}
	if s.n == setWords || i < s.n && s.words[i]|exclusively == w|exclusively {
		return set
	}
	copy(s.words[i+1:], s.words[i:s.n])
	s.words[i] = w
	s.n++
	return l.set(s)
}

// without is set without w; false if it is not there.
func (l *locks) without(set, w uint32) (uint32, bool) {
	s := l.words(set)
	for i := uint32(0); i < s.n; i++ {
		if s.words[i] == w {
			copy(s.words[i:], s.words[i+1:s.n])
			s.n--
			s.words[s.n] = 0
			return l.set(s), true
		}
	}
	return set, false
}

// exclude reports whether what is done under one set of locks cannot happen while
// something is done under the other.
func (l *locks) exclude(a, b uint32) bool {
	if a == 0 || b == 0 {
		return false
	}
	if v, w := a&^single, b&^single; v != a && w != b {
		return v|exclusively == w|exclusively && (v|w)&exclusively != 0 && *l.loose.At(v >> 1) == 0
	}
	s, t := l.words(a), l.words(b)
	for i, j := meet(&s, &t, 0, 0); i < s.n; i, j = meet(&s, &t, i+1, j+1) {
		if v := s.words[i]; (v|t.words[j])&exclusively != 0 && *l.loose.At(v >> 1) == 0 {
			return true
		}
	}
	return false
}

// shared is a word of set a, as a set, whose lock is in b too; if there is none, the first of a.
func (l *locks) shared(a, b uint32) (word uint32, ok bool) {
	s, t := l.words(a), l.words(b)
	if i, _ := meet(&s, &t, 0, 0); i < s.n {
		return s.words[i] | single, true
	}
	return s.words[0] | single, false
}

// meet is where two lists have the same lock, from words i and j on; s.n and t.n if nowhere.
func meet(s, t *lockSet, i, j uint32) (uint32, uint32) {
	for i < s.n && j < t.n {
		switch v, w := s.words[i], t.words[j]; {
		case v|exclusively == w|exclusively:
			return i, j
		case v < w:
			i++
		default:
			j++
		}
	}
	return s.n, t.n
}

// lockAt is the number of the lock at addr.
func (d *Detector) lockAt(addr uintptr) uint32 {
	p := d.placeOrNew(addr)
	if p == nil {
		return 0
	}
	n := offheap.Load32(&p.lock)
	if n != 0 {
		return n
	}
	n = d.locks.number()
	if n == 0 || offheap.CAS32(&p.lock, 0, n) {
		return n
	}
	return offheap.Load32(&p.lock)
}

// Holds reports whether t holds the lock at addr.
func (d *Detector) Holds(t reach.Task, addr uintptr, exclusive bool) bool {
	_, held := d.locks.without(d.Local(t).Locks, lockWord(d.lockAt(addr), exclusive))
	return held
}

// Hold says that t took the lock at addr, exclusively or for reading, in its
// current strand: what it does next is in another, so that all accesses of a strand
// are made under the same locks. Those of a task that is sole and the first need not be: they
// precede all of others in every schedule.
func (d *Detector) Hold(t reach.Task, addr uintptr, exclusive bool) {
	n := d.lockAt(addr)
	l := d.Local(t)
	set := d.locks.with(l.Locks, lockWord(n, exclusive))
	if n == 0 || set == l.Locks {
		return
	}
	l.Locks = set
	if _, first := d.sole(t); !first {
		d.Advance(t)
	}
}

// Tried says that t did not get a lock: it has learned nothing, but what it tries next is
// remembered beside that.
func (d *Detector) Tried(t reach.Task) { d.Advance(t) }

// Advance begins t's next strand, although nothing became ordered.
func (d *Detector) Advance(t reach.Task) {
	d.Engine.Advance(t)
	d.synced(t, false)
}

// Drop says that t gave the lock at addr back, after a release: what it does next is in another
// strand, as after Hold. A lock that one task takes and another gives back protects nothing.
func (d *Detector) Drop(t reach.Task, addr uintptr, exclusive bool) {
	n := d.lockAt(addr)
	if n == 0 {
		return
	}
	l := d.Local(t)
	set, held := d.locks.without(l.Locks, lockWord(n, exclusive))
	if !held {
		*d.locks.loose.At(n) = 1
	}
	l.Locks = set
	if sole, first := d.sole(t); sole && !first { // the release began no strand
		d.Advance(t)
	}
}

func lockWord(lock uint32, exclusive bool) uint32 {
	if exclusive {
		return lock<<1 | exclusively
	}
	return lock << 1
}
