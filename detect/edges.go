package detect

import (
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Edges are of two kinds. The acquires in objects.go are of certain ones, which exist in
// every schedule. Those here are of observed ones, as this schedule happened to go: who
// took the lock first, whose print came first. Two accesses that only observed edges
// order are luck, see [Host].

// certain reports whether u, which precedes the running task t, does so in every
// schedule. An engine of structured programs knows certain edges only.
func (d *Detector) certain(u reach.Strand, t reach.Task) bool {
	from, to := d.serial.between(u, t)
	return from != 0 && to != 0 || d.Engine.Certain(u, t)
}

// Splits reports whether an observed acquire at addr by t would be refused now.
func (d *Detector) Splits(t reach.Task, addr uintptr) bool {
	return !d.Observed && !d.Engine.IsSplit() && d.Engine.Splits(t, d.object(addr))
}

// Split begins to keep certain and observed edges apart. The thread of p is inside,
// and in the middle of nothing that others inside may wait for; while Split runs, it is
// not.
func (d *Detector) Split(p *Proc) {
	d.out(p)
	d.alone(func(d *Detector) { d.Engine.Split() })
	d.Enter(p)
}

// AcquireObserved is Acquire by an observed edge. The first that would teach anything is
// refused: nothing has happened, and it is made again after Split.
func (d *Detector) AcquireObserved(t reach.Task, addr uintptr) (news, ok bool) {
	if d.Observed {
		return d.Acquire(t, addr), true
	}
	if news, ok = d.Engine.AcquireObserved(t, d.object(addr)); ok {
		d.learnsObserved(t, news)
		d.synced(t, news)
	}
	return news, ok
}

// ReleaseAcquireObserved is ReleaseAcquire of which the acquire is an observed edge. It
// is refused like AcquireObserved.
func (d *Detector) ReleaseAcquireObserved(t reach.Task, addr uintptr) (news, ok bool) {
	if d.Observed {
		return d.ReleaseAcquire(t, addr), true
	}
	d.isSole(t)
	if news, ok = d.Engine.ReleaseAcquireObserved(t, d.objectOrNew(addr)); ok {
		d.learnsObserved(t, news)
		d.synced(t, news)
	}
	return news, ok
}

// ReleaseMore is Release by an atomic operation that also reads, and acquired by an
// observed edge: who acquires by a certain one learns of the operations before it too.
func (d *Detector) ReleaseMore(t reach.Task, addr uintptr) {
	d.isSole(t)
	d.Engine.ReleaseMore(t, d.objectOrNew(addr))
	d.synced(t, false)
}

// Mark remembers something about what is at addr, whatever the host means by it, until
// the memory is forgotten.
func (d *Detector) Mark(addr uintptr) {
	if p := d.placeOrNew(addr); p != nil {
		offheap.Store32(&p.lock, marked)
	}
}

// Marked reports whether Mark was called for addr.
func (d *Detector) Marked(addr uintptr) bool {
	o := d.objectsOf(addr)
	if o == nil {
		return false
	}
	p := d.find(offheap.Load32(o.word(addr)), addr&7)
	return p != nil && offheap.Load32(&p.lock) == marked
}

// marked is no number of a lock.
const marked = maxLocks
