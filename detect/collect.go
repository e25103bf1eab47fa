package detect

import (
	"github.com/detrace/detrace/internal/offheap"
)

// collectAfter is how many bytes are used after a collection before the next one,
// beyond twice what it left. A collection scans the shadow memory in use, so this
// also bounds its share of the running time.
const collectAfter = 32 << 20

// Collect frees tasks, fronts, states and blocks that no location, running task
// or synchronisation object needs any more. Without force it does so only when
// enough was used since the last time and no other thread is at it. The caller
// must be outside (after Leave).
func (d *Detector) Collect(force bool) {
	if !offheap.CAS32(&d.stop, 0, 1) {
		return
	}
	if (force || d.due()) && (!d.fences || offheap.Fence()) {
		d.waitOutside()
		d.collect()
	}
	offheap.Store32(&d.stop, 0)
}

// alone calls f while nobody is inside. The caller must be outside.
func (d *Detector) alone(f func(d *Detector)) {
	for n := 0; !offheap.CAS32(&d.stop, 0, 1); n++ {
		offheap.Wait(n)
	}
	d.waitOutside()
	f(d)
	offheap.Store32(&d.stop, 0)
}

func (d *Detector) due() bool {
	return d.Engine.Bytes()+d.History.Bytes() > 2*offheap.Load64(&d.collected)+collectAfter
}

// waitOutside returns when every thread has left; those that arrive wait. After a fence
// a thread that has entered is seen inside, and any other sees that it must stop.
func (d *Detector) waitOutside() {
	for n := 0; offheap.Load32(&d.others) != 0; n++ {
		offheap.Wait(n)
	}
	for i := uint32(0); i < min(offheap.Load32(&d.nprocs), MaxProcs); i++ {
		for n := 0; offheap.Load32(&d.procs.At(i).inside) != 0; n++ {
			offheap.Wait(n)
		}
	}
}

func (d *Detector) collect() {
	d.Engine.BeginMark()
	d.ran.keep(&d.Engine)
	d.channels.keep(&d.Engine)
	c := d.History.Collect(&d.Engine)
	for i := uint32(0); i < min(offheap.Load32(&d.nprocs), MaxProcs); i++ {
		d.procs.At(i).keepMemos(c)
	}
	c.Finish()
	d.Engine.Sweep()
	offheap.Store64(&d.collected, d.Engine.Bytes()+d.History.Bytes())
}
