//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"unsafe"
)

// What a sync.Pool hands on, and how much of what it leads to is handed on with it: not the
// buffer that a pooled writer was set to write to, which many may share.

//go:linkname detraceBorrows
//go:linkname detraceReturns

// A detborrowing is what a task has allocated since it asked a pool for an object, as far as it is
// remembered: what that object leads to when it is put back is its own if it is among that.
type detborrowing struct {
	depth     uint32 // objects it has asked for and not put back
	allocated uint32 // how often it has allocated
	number    uint32
}

// detborrowings has those of the tasks that hold an object, by number, and finds them by task.
// A task's own is used by that task alone.
var detborrowings detborrowingtable

type detborrowingtable struct {
	all    offheap.Stock[detborrowing]
	latest offheap.Table[[1024]uintptr] // what each has allocated
	byTask offheap.Table[uint32]
}

func (b *detborrowingtable) init() {
	const most = 1 << 16
	b.all.Init(most)
	b.latest.Init(most)
	b.byTask.Init(detect.MaxTasks)
}

// of is that of t, nil if it holds nothing.
func (b *detborrowingtable) of(t reach.Task) *detborrowing {
	if i := *b.byTask.At(uint32(t)); i != 0 {
		return b.all.At(i)
	}
	return nil
}

func (b *detborrowingtable) begin(t reach.Task) {
	if i := b.all.Take(); i != 0 {
		own := b.all.At(i)
		own.depth, own.number = 1, i
		*b.byTask.At(uint32(t)) = i
	}
}

func (b *detborrowingtable) end(t reach.Task) {
	at := b.byTask.At(uint32(t))
	if i := *at; i != 0 {
		*at = 0
		b.all.Put(i)
	}
}

// last is where w has what it allocated last.
func (b *detborrowingtable) last(w *detborrowing) *[1024]uintptr { return b.latest.At(w.number) }

// has reports whether base is an object that was allocated meanwhile, or one too many to tell.
func (w *detborrowing) has(base uintptr) bool {
	latest := detborrowings.last(w)
	if w.allocated > uint32(len(latest)) {
		return true
	}
	for _, at := range latest[:w.allocated] {
		if at == base {
			return true
		}
	}
	return false
}

// detraceBorrows is called when the program asks a pool for an object, detraceReturns when it
// has put one back.
func detraceBorrows() {
	t := reach.Task(getg().racectx)
	if own := detborrowings.of(t); own != nil {
		own.depth++
	} else if t != 0 {
		detborrowings.begin(t)
	}
}

func detraceReturns() {
	t := reach.Task(getg().racectx)
	if own := detborrowings.of(t); own != nil {
		if own.depth--; own.depth == 0 {
			detborrowings.end(t)
		}
	}
}

// detallocates tells that the goroutine which runs has allocated the object at addr.
func detallocates(addr uintptr) {
	gp := getg().m.curg
	if gp == nil || gp.racectx == 0 {
		return
	}
	if own := detborrowings.of(reach.Task(gp.racectx)); own != nil {
		base, _ := detobject(addr) // of the block, where small objects share one
		latest := detborrowings.last(own)
		latest[own.allocated%uint32(len(latest))] = base
		own.allocated++
	}
}

// detpooled marks the object at addr, which t puts into a pool, and what it alone leads to as
// handed on: whoever gets it comes after who put it, in every schedule. What it leads to is its
// own if t allocated it while it held the object, or had it from the pool; if t did not ask for
// the object, that is not known, and taken to be so.
func detpooled(t reach.Task, addr uintptr) {
	const most = 1024 // bytes of each object that are looked at
	f := detfollowed{held: detborrowings.of(t)}
	f.add(addr)
	for i := 0; i < f.n; i++ {
		det.Mark(f.objects[i] + detpoolmark)
		_, span := detobject(f.objects[i])
		if span == nil || span.spanclass.noscan() {
			continue // nil if a word was no pointer any more, and what it led to was freed meanwhile
		}
		for off := uintptr(0); off < min(span.elemsize, most); off += 8 {
			f.add(*(*uintptr)(unsafe.Pointer(f.objects[i] + off)))
		}
	}
}

// detfollowed is what an object leads to, itself first.
type detfollowed struct {
	held    *detborrowing
	n       int
	objects [32]uintptr
}

func (f *detfollowed) add(addr uintptr) {
	base, _ := detobject(addr)
	if base == 0 || f.n == len(f.objects) {
		return
	}
	for _, at := range f.objects[:f.n] {
		if at == base {
			return
		}
	}
	if f.n > 0 && f.held != nil && !f.held.has(base) && !det.Marked(base+detpoolmark) {
		return
	}
	f.objects[f.n] = base
	f.n++
}

// detobject is the heap object that addr points into, 0 if there is none. Unlike
// findObject it takes any word.
func detobject(addr uintptr) (base uintptr, span *mspan) {
	if addr < detheaplo || addr >= detheaplo+detheapsize {
		return 0, nil
	}
	span = spanOfHeap(addr)
	if span == nil {
		return 0, nil
	}
	return span.base() + span.objIndex(addr)*span.elemsize, span
}

// detofpool reports whether an object's release or acquire at addr is that of a pool, see the
// edits of package instrument: nothing else synchronises at an odd address.
func detofpool(addr uintptr) bool { return addr&1 != 0 }

// detpoolmark is where the mark of an object handed on by a pool is: nothing
// synchronises at such an address.
const detpoolmark = 3

// dethandedon reports whether addr is in an object that a pool handed on.
func dethandedon(addr uintptr) bool {
	base, _ := detobject(addr)
	return base != 0 && det.Marked(base+detpoolmark)
}
