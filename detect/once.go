package detect

import (
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// ran knows what was run once, for whoever came first. That comes before all who ask for it,
// in every schedule. What the first one did before it does not: another could have been the
// first. So the order of the Once itself is observed, and luck for all but the accesses under
// the lock that the Once is run under.
//
// Who has asked is found by a mark, a task that does nothing and knows of nothing: whoever
// asks learns of it, by a certain edge, and whoever comes after that in every schedule does.
type ran struct {
	marks offheap.Table[reach.Strand] // by lock
	locks offheap.Table[uint32]       // those that have one, from 1 on
	n     uint32                      // atomic
}

// maxRan bounds what is remembered; of later ones all is taken for luck.
const maxRan = 1 << 20

func (r *ran) init() {
	r.marks.Init(maxLocks)
	r.locks.Init(maxRan)
}

// RanOnce says that what is run once was, by the task that holds the lock at lock. Who
// acquires at addr from now on, by a certain edge, comes after it. The caller keeps others
// from forking from the root task meanwhile.
func (d *Detector) RanOnce(lock, addr uintptr) {
	n, i := d.lockAt(lock), offheap.Load32(&d.ran.n)+1
	if n == 0 || i == maxRan {
		return
	}
	mark := d.Fork(d.Engine.Root(), 0)
	if mark == 0 {
		return
	}
	*d.ran.marks.At(n) = d.Engine.Strand(mark)
	*d.ran.locks.At(i) = n
	offheap.Store32(&d.ran.n, i)
	d.Release(mark, addr)
	d.End(mark)
}

// Ran is how many tasks are marks, which the program has not started.
func (d *Detector) Ran() uint32 { return offheap.Load32(&d.ran.n) }

// Asked reports whether t, or what comes before it in every schedule, has asked for what was
// run once under the lock at lock.
func (d *Detector) Asked(t reach.Task, lock uintptr) bool {
	return d.asked(t, d.lockAt(lock))
}

func (d *Detector) asked(t reach.Task, lock uint32) bool {
	mark := *d.ran.marks.At(lock)
	return mark != 0 && d.precedes(mark, t) && d.certain(mark, t)
}

// afterOnce reports whether an access was made by what was run once, and t has asked for it.
func (d *Detector) afterOnce(earlier shadow.Access, t reach.Task) bool {
	if d.Ran() == 0 || earlier.Locks == 0 {
		return false
	}
	held := d.locks.words(earlier.Locks)
	for _, w := range held.words[:held.n] {
		if d.asked(t, w>>1) {
			return true
		}
	}
	return false
}

// keep marks, in a collection, what is needed.
func (r *ran) keep(m shadow.Marker) {
	for i := uint32(1); i <= r.n; i++ {
		m.Mark(*r.marks.At(*r.locks.At(i)))
	}
}
