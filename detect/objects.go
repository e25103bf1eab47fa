package detect

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
)

// objects finds the synchronisation object of an address: a word per aligned 8
// bytes, the head of a list of the objects there (the slots of a channel of
// bytes are neighbours), and a flag per 512 bytes that says whether any word was
// set, so that forgetting memory without objects costs next to nothing.
type objects struct {
	lo, size uintptr
	words    unsafe.Pointer
	present  unsafe.Pointer // a uint32 each
}

const region = 512 // bytes of memory per present flag

// place is one object at an address; places at one granule form a list that
// grows at its head and is only taken apart when its memory is forgotten.
type place struct {
	object  jointree.Object
	offset  uint8 // of the address in its granule
	channel bool  // lock is the number of the channel that is known by the address
	next    uint32
	lock    uint32 // atomic: the number of the lock that is there, see locks
}

// maxPlaces is the number of synchronisation objects alive at one time.
const maxPlaces = 1 << 27

func (o *objects) init(lo, size uintptr) {
	size = (size + region - 1) &^ (region - 1)
	*o = objects{lo: lo, size: size}
	if size != 0 {
		o.words = offheap.Reserve(size / 2)
		o.present = offheap.Reserve(size / region * 4)
	}
}

func (o *objects) word(addr uintptr) *uint32 {
	return (*uint32)(unsafe.Add(o.words, (addr-o.lo)/8*4))
}

func (o *objects) flag(addr uintptr) *uint32 {
	return (*uint32)(unsafe.Add(o.present, (addr-o.lo)/region*4))
}

// objectsOf returns the window that addr is in, or nil.
func (d *Detector) objectsOf(addr uintptr) *objects {
	for i := range d.objects {
		if o := &d.objects[i]; addr-o.lo < o.size {
			return o
		}
	}
	return nil
}

// head is the list of places around addr, 0 if there are none. Where there never was one it looks at
// no words.
func (d *Detector) head(addr uintptr) uint32 {
	o := d.objectsOf(addr)
	if o == nil || offheap.Load32(o.flag(addr)) == 0 {
		return 0
	}
	return offheap.Load32(o.word(addr))
}

// HasPlace reports whether something is known by addr: an object by which tasks synchronise, or a
// channel. It may be called without Enter.
func (d *Detector) HasPlace(addr uintptr) bool { return d.head(addr) != 0 }

func (d *Detector) find(i uint32, offset uintptr) *place {
	for ; i != 0; i = d.places.At(i).next {
		if p := d.places.At(i); uintptr(p.offset) == offset {
			return p
		}
	}
	return nil
}

func (d *Detector) object(addr uintptr) jointree.Object {
	o := d.objectsOf(addr)
	if o == nil {
		return 0
	}
	if p := d.find(offheap.Load32(o.word(addr)), addr&7); p != nil {
		return p.object
	}
	return 0
}

// objectOrNew returns 0 only outside the windows and when there is no room for
// another object; its edges are lost then, which can report too much, never too
// little.
func (d *Detector) objectOrNew(addr uintptr) jointree.Object {
	if p := d.placeOrNew(addr); p != nil {
		return p.object
	}
	return 0
}

// placeOrNew is nil where objectOrNew returns 0.
func (d *Detector) placeOrNew(addr uintptr) *place {
	o := d.objectsOf(addr)
	if o == nil {
		return nil
	}
	w := o.word(addr)
	for {
		head := offheap.Load32(w)
		if p := d.find(head, addr&7); p != nil {
			return p
		}
		i, id := d.places.Take(), d.Engine.NewObject()
		if i == 0 || id == 0 {
			return nil
		}
		if d.link(o, addr, head, i, place{object: id}) {
			return d.places.At(i)
		}
		d.Engine.FreeObject(id)
	}
}

// link makes p, as place i, that of addr, where there is none up to head; false if somebody was
// faster.
func (d *Detector) link(o *objects, addr uintptr, head, i uint32, p place) (ok bool) {
	p.offset, p.next = uint8(addr&7), head
	*d.places.At(i) = p
	if f := o.flag(addr); offheap.Load32(f) == 0 {
		offheap.Store32(f, 1)
	}
	if ok = offheap.CAS32(o.word(addr), head, i); !ok {
		d.places.Put(i)
	}
	return ok
}

// Acquire makes all that was released at addr precede what t does next, and
// reports whether t learned anything by it.
func (d *Detector) Acquire(t reach.Task, addr uintptr) (news bool) {
	news = d.Engine.Acquire(t, d.object(addr))
	d.learnsIf(t, d.Engine.Strand(t) != d.Local(t).Strand) // maybe by the certain edges alone
	d.synced(t, news)
	return news
}

// Release makes addr stand for what t did so far, and nothing else.
func (d *Detector) Release(t reach.Task, addr uintptr) {
	d.isSole(t)
	d.Engine.Release(t, d.objectOrNew(addr))
	d.synced(t, false)
}

// ReleaseMerge adds what t did so far to what addr stands for.
func (d *Detector) ReleaseMerge(t reach.Task, addr uintptr) {
	d.isSole(t)
	d.Engine.ReleaseMerge(t, d.objectOrNew(addr))
	d.synced(t, false)
}

// ReleaseAcquire exchanges: addr stands for what t did so far, and t acquires
// what addr stood for. It reports whether t learned anything by it.
func (d *Detector) ReleaseAcquire(t reach.Task, addr uintptr) (news bool) {
	d.isSole(t)
	news = d.Engine.ReleaseAcquire(t, d.objectOrNew(addr))
	d.learnsIf(t, news || d.Engine.IsSplit())
	d.synced(t, news)
	return news
}

// AcquireAll makes all that any task did so far precede what t does next.
func (d *Detector) AcquireAll(t reach.Task) {
	d.Engine.AcquireAll(t)
	offheap.Store32(&d.overheard, 1)
	d.learnsIf(t, true)
	d.synced(t, true)
}

// sole is Host.Sole for native execution.
func (d *Detector) sole(t reach.Task) (sole, first bool) {
	if d.host.Sole == nil || d.Serially() {
		return false, false
	}
	return d.host.Sole(t)
}

// isSole tells the engine whether t, which is about to release, is sole. What somebody has
// learned of a sole task's strand by AcquireAll is to end with its next release, as of others.
func (d *Detector) isSole(t reach.Task) {
	sole, _ := d.sole(t)
	switch {
	case sole:
		if offheap.Load32(&d.overheard) == 0 {
			d.Engine.SetSole(t)
			return
		}
		offheap.Store32(&d.overheard, 0)
		d.Engine.SetSole(0)
	case d.Engine.Sole() == t:
		d.Engine.SetSole(0)
	}
}

// forgetObjects drops the objects in memory that is new or gone: no task uses
// them at this moment.
func (d *Detector) forgetObjects(addr, size uintptr) {
	o := d.objectsOf(addr)
	if o == nil {
		return
	}
	end := min(addr+size, o.lo+o.size)
	for p := addr; p < end; {
		next := min((p-o.lo)&^(region-1)+region+o.lo, end)
		if f := o.flag(p); offheap.Load32(f) != 0 {
			d.dropObjects(o, p, next)
			if p&(region-1) == 0 && next&(region-1) == 0 {
				offheap.Store32(f, 0)
			}
		}
		p = next
	}
}

func (d *Detector) dropObjects(o *objects, lo, hi uintptr) {
	for p := lo; p < hi; p = p&^7 + 8 {
		w := o.word(p)
		switch {
		case offheap.Load32(w) == 0:
		case p&7 == 0 && hi-p >= 8:
			d.drop(offheap.Swap32(w, 0))
		default:
			d.renew(offheap.Load32(w), p&7, min(8, hi-p&^7))
		}
	}
}

// drop frees the objects of a whole granule.
func (d *Detector) drop(i uint32) {
	for i != 0 {
		e := d.places.At(i)
		next := e.next
		if e.channel {
			d.channels.Put(e.lock)
		}
		d.Engine.FreeObject(e.object)
		d.library.forget(e.object)
		d.places.Put(i)
		i = next
	}
}

// renew makes the objects at the offsets [lo, hi) of a granule new. The list stays
// as it is: what lies beside may be in use.
func (d *Detector) renew(i uint32, lo, hi uintptr) {
	for ; i != 0; i = d.places.At(i).next {
		e := d.places.At(i)
		switch {
		case uintptr(e.offset)-lo >= hi-lo:
		case e.channel:
			*d.channels.At(e.lock) = Channel{}
		default:
			d.Engine.FreeObject(e.object)
			d.library.forget(e.object)
			e.object, e.lock = d.Engine.NewObject(), 0
		}
	}
}
