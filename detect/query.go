package detect

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// query is the access a Proc is making: what it answers as a [shadow.Order].
type query struct {
	task   reach.Task
	counts uintptr // the *record.Entry of the last race, 0 for none
	handed handed  // what Host.HandedOn said
	told   bool    // not to be remembered: Unordered was called, or the address matters
	access shadow.Access
	addr   uintptr
	pc     uintptr
}

// at makes addr what is asked about.
func (q *query) at(addr uintptr) { q.addr, q.counts, q.handed, q.told = addr, 0, 0, false }

func (p *Proc) d() *Detector { return (*Detector)(offheap.Pointer(p.detector)) }

// Precedes implements [shadow.Order].
func (p *Proc) Precedes(u reach.Strand) bool { return p.precedes(u) }

// Outlasted implements [shadow.Order].
func (p *Proc) Outlasted(u reach.Strand) bool { return p.d().outlasted(u, p.query.task) }

// At implements [shadow.Order].
func (p *Proc) At(addr uintptr) { p.query.at(addr) }

// Turn implements [shadow.Turns].
func (p *Proc) Turn(i int) { p.query = p.turns[i] }

// Race implements [shadow.Order].
func (p *Proc) Race(earlier shadow.Access) {
	if p.d().Engine.Exhausted() {
		// Orderings may have been lost: whatever is reported now may be wrong.
		p.d().tellFull(&p.query.access)
		return
	}
	p.query.counts = uintptr(unsafe.Pointer(p.d().host.Race(p.query.addr, earlier, p.query.access)))
}

// Certain implements [shadow.Order].
func (p *Proc) Certain(u reach.Strand) bool {
	if p.certain(u) {
		return true
	}
	if !p.handedOn() {
		return false
	}
	p.query.told, p.query.access.Lent = true, true // elsewhere the transition may be another
	return true
}

// handed is whether a byte is in an object that changes hands as a whole, once it was asked.
type handed uint8

const (
	notHanded handed = iota + 1
	handedOn
)

// handedOn is Host.HandedOn for the address of the query.
func (p *Proc) handedOn() bool {
	q := &p.query
	if q.handed == 0 {
		q.handed = notHanded
		if about := p.d().host.HandedOn; about != nil && about(q.addr) {
			q.handed = handedOn
		}
	}
	return q.handed == handedOn
}

// Luck implements [shadow.Order].
func (p *Proc) Luck(earlier shadow.Access) {
	d := p.d()
	if d.Engine.Exhausted() {
		d.tellFull(&p.query.access)
		return
	}
	if d.locks.exclude(earlier.Locks, p.query.access.Locks) || d.afterOnce(earlier, p.query.access.Strand.Task()) {
		return
	}
	if e := d.host.Luck(p.query.addr, earlier, p.query.access); e != nil {
		p.query.counts = uintptr(unsafe.Pointer(e))
	}
}

// Excludes implements [shadow.Order].
func (p *Proc) Excludes(locks uint32) bool { return p.d().locks.exclude(locks, p.query.access.Locks) }

// Shared implements [shadow.Order].
func (p *Proc) Shared(locks, others uint32) (guard uint32, shared bool) {
	return p.d().locks.shared(locks, others)
}

// Crowded implements [shadow.Order].
func (p *Proc) Crowded() { p.d().host.Crowded(p.query.access) }

// Unordered implements [shadow.Order].
func (p *Proc) Unordered(earlier shadow.Access) {
	p.query.told = true
	p.Mixed++
	p.d().host.Unordered(p.query.addr, earlier, p.query.access)
}

// Move implements [shadow.Order]. Atomic operations are not remembered: each
// begins a new strand.
func (p *Proc) Move(before shadow.State) shadow.State {
	if p.query.access.Op.Atomic() {
		return 0
	}
	m := p.move(p.query.access.Strand, before, p.query.place())
	if m == nil {
		return 0
	}
	if m.counts != 0 {
		m.count()
	}
	return m.After
}

// place is the query's word in memos of transitions.
func (q *query) place() uintptr { return AccessAt(q.pc, uintptr(q.access.Op-shadow.Read)) }

// Ranges implements [shadow.Order].
func (p *Proc) Ranges() *shadow.RangeMemo { return &p.ranges }

// Moved implements [shadow.Order]. A transition with races or luck is remembered too, as
// one more occurrence of the last of them.
func (p *Proc) Moved(before, after shadow.State) {
	if op := p.query.access.Op; !p.query.told && !op.Atomic() && !p.d().NoMoves && !p.Uncounted {
		a, at := &p.query.access, p.query.place()
		m := p.newMove(a.Strand, before, at)
		m.strand, m.at, m.Before, m.After, m.Context, m.counts = a.Strand, at, before, after, a.Context, p.query.counts
	}
}
