package detect

import (
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
)

// library knows what the standard library orders for itself: caches that it builds once
// and reads ever after, connections that it hands on below a lock. Two accesses
// inside of it are nobody's luck when the call that made the first released something
// after it that the call that made the second acquired before it. An order that comes
// from other calls, which printed in between, does not count: it is the program's luck.
//
// A call is a task and an opaque key, by which the host tells the calls into the library
// apart. Where there is too much to remember, everything is taken for the
// library's business.
type library struct {
	calls offheap.Table[call]  // by task
	held  offheap.Table[spans] // by object: what was released into it
	lock  offheap.Lock         // guards held, and learned of all calls
	used  uint32               // atomic
	high  uint32               // atomic: no later object holds anything
}

// call is the latest call into the library of a task that synchronised.
type call struct {
	key     uint32
	from    uint32 // position of its first strand
	learned spans  // what it acquired
}

const maxSpans = 12

// spans are parts of calls: strands in which they ran.
type spans struct {
	n    uint32
	any  uint32 // 1 if there were too many
	list [maxSpans]span
}

type span struct{ task, from, to uint32 }

// maxHeld bounds the objects that the library's releases are remembered of.
const maxHeld = 1 << 24

func (l *library) init() {
	l.calls.Init(MaxTasks)
	l.held.Init(maxHeld)
}

func (s *spans) add(p span) {
	for i := range s.list[:s.n] {
		if q := &s.list[i]; q.task == p.task && p.from <= q.to+1 && q.from <= p.to+1 {
			q.from, q.to = min(p.from, q.from), max(p.to, q.to)
			return
		}
	}
	if s.n == maxSpans {
		s.any = 1
		return
	}
	s.list[s.n] = p
	s.n++
}

func (s *spans) addAll(more *spans) {
	s.any |= more.any
	for _, p := range more.list[:more.n] {
		s.add(p)
	}
}

func (s *spans) has(u reach.Strand) bool {
	for _, p := range s.list[:s.n] {
		if p.task == uint32(u.Task()) && p.from <= u.Index() && u.Index() <= p.to {
			return true
		}
	}
	return s.any != 0
}

// begins forgets what an earlier task with the id of t did.
func (l *library) begins(t reach.Task) {
	if offheap.Load32(&l.used) != 0 {
		l.calls.At(uint32(t)).key = 0
	}
}

// forget drops what was released into o.
func (l *library) forget(o jointree.Object) {
	if uint32(o) <= offheap.Load32(&l.high) {
		l.lock.Lock()
		if s := l.held.At(uint32(o)); s.n|s.any != 0 {
			*s = spans{}
		}
		l.lock.Unlock()
	}
}

// inCall is the call of t with this key; what was before is over.
func (d *Detector) inCall(t reach.Task, key uint32) *call {
	offheap.Store32(&d.library.used, 1)
	c := d.library.calls.At(uint32(t))
	if c.key != key {
		c.key, c.from = key, d.Engine.Strand(t).Index()
		c.learned = spans{}
	}
	return c
}

// LibraryAcquires says that in the call with this key, not 0, t acquires what the library
// released at addr.
func (d *Detector) LibraryAcquires(t reach.Task, key uint32, addr uintptr) {
	c := d.inCall(t, key)
	o := d.object(addr)
	if o == 0 || uint32(o) >= maxHeld {
		return
	}
	d.library.lock.Lock()
	c.learned.addAll(d.library.held.At(uint32(o)))
	d.library.lock.Unlock()
}

// LibraryReleases says that in the call with this key t is about to release at addr,
// adding to what was released there or replacing it.
func (d *Detector) LibraryReleases(t reach.Task, key uint32, addr uintptr, adds bool) {
	c := d.inCall(t, key)
	o := d.objectOrNew(addr)
	if o == 0 || uint32(o) >= maxHeld {
		return
	}
	d.library.lock.Lock()
	if uint32(o) > d.library.high {
		offheap.Store32(&d.library.high, uint32(o))
	}
	s := d.library.held.At(uint32(o))
	if !adds {
		*s = spans{}
	}
	s.add(span{uint32(t), c.from, d.Engine.Strand(t).Index()})
	s.addAll(&c.learned)
	d.library.lock.Unlock()
}

// LibraryForks says that the library starts child in the call of parent with this key.
// What the call acquired, the child's, childKey, did.
func (d *Detector) LibraryForks(parent reach.Task, key uint32, child reach.Task, childKey uint32) {
	if offheap.Load32(&d.library.used) == 0 {
		return
	}
	c := d.library.calls.At(uint32(parent))
	if c.key == key {
		n := d.inCall(child, childKey)
		n.learned = c.learned
	}
}

// LibraryCalls reports whether t has synchronised inside of the library.
func (d *Detector) LibraryCalls(t reach.Task) bool {
	return offheap.Load32(&d.library.used) != 0 && d.library.calls.At(uint32(t)).key != 0
}

// LibraryOrders reports whether the library itself orders u, the strand of an access
// inside of it, before what t does in the call with this key.
func (d *Detector) LibraryOrders(u reach.Strand, t reach.Task, key uint32) bool {
	if offheap.Load32(&d.library.used) == 0 {
		return false
	}
	c := d.library.calls.At(uint32(t))
	if c.key != key {
		return false
	}
	d.library.lock.Lock()
	ordered := c.learned.has(u)
	d.library.lock.Unlock()
	return ordered
}
