//go:build judged

package runtime

import (
	"github.com/detrace/detrace/internal/callstack"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"unsafe"
)

// dettrace is the file to which everything that happens is written, when the program is
// run for a trace. The order in it is one in which the events really happened: each is
// written by the hook that tells of it, releases and acquires in one step with what they do to
// the object, so that objects hold in the file what they hold in the detector.
//
// What is left out: accesses that the detector knows to be repetitions of the same strand,
// acquires that taught nothing, what the runtime's own goroutines do to channels that only the
// runtime has, and the sends and receives that are checked as atomic operations on
// words of the channel, which nobody accesses otherwise.
var dettrace struct {
	rawtrace.Writer
	path   *byte
	window unsafe.Pointer       // mapped last
	named  offheap.Table[uint8] // by stack: there is a Name of it
}

// dettracestart begins the file with the given name, from the environment.
func dettracestart(path *byte) {
	dettrace.named.Init(1 << 27)
	dettracefile(&dettrace.Writer, path)
	det.NoMoves = true
}

// dettracefile begins the file, which w appends to. There can be one only.
func dettracefile(w *rawtrace.Writer, path *byte) {
	if dettrace.path != nil {
		detfail("there is a file to write already (DETRACE_TRACE, DETRACE_COSTS), besides", path)
	}
	dettrace.path = path
	first, errno := dettracewindow(0)
	header := uintptr(0)
	if errno == 0 {
		header, errno = dettracemap(0, rawtrace.HeaderSize)
	}
	if errno != 0 {
		detfail("cannot write the file named by DETRACE_TRACE or DETRACE_COSTS", path)
	}
	w.Init(unsafe.Pointer(header), dettracewindow, first)
}

// dettracezeros is what files grow by.
var dettracezeros [1 << 16]byte

// dettracewindow makes the file longer by a window, so that it is on the disk, and maps that. The
// file is opened by name each time: the program may close every descriptor.
func dettracewindow(offset uint64) (window unsafe.Pointer, errno uint32) {
	w := &dettrace
	const owronly, ocreat, otrunc, oappend, ocloexec = 0x1, 0x40, 0x200, 0x400, 0x80000
	flags := uintptr(owronly | ocreat | oappend | ocloexec)
	if offset == 0 {
		flags |= otrunc
	}
	fd, errno := dettraceopen(flags)
	if errno != 0 {
		return nil, errno
	}
	for left := int32(rawtrace.WindowSize); left > 0; {
		n := write1(uintptr(fd), unsafe.Pointer(&dettracezeros), min(left, int32(len(dettracezeros))))
		if n < 0 && n != -_EINTR {
			closefd(fd)
			return nil, uint32(-n)
		}
		left -= max(n, 0)
	}
	closefd(fd)
	if w.window != nil {
		munmap(w.window, rawtrace.WindowSize)
	}
	addr, failed := dettracemap(uintptr(offset), rawtrace.WindowSize)
	w.window = unsafe.Pointer(addr)
	return w.window, failed
}

// dettracemap maps n bytes of the file.
func dettracemap(offset, n uintptr) (addr uintptr, errno uint32) {
	const ordwr, ocloexec = 0x2, 0x80000
	fd, errno := dettraceopen(ordwr | ocloexec)
	if errno != 0 {
		return 0, errno
	}
	// The offset of the runtime's own mmap has 32 bits.
	addr, failed := detsyscall(9 /* mmap */, 0, n, _PROT_READ|_PROT_WRITE, 1 /* MAP_SHARED */, uintptr(fd), offset)
	closefd(fd)
	return addr, uint32(failed)
}

// dettraceopen opens the file. The runtime's own open does not say what went wrong.
func dettraceopen(flags uintptr) (fd int32, errno uint32) {
	r, failed := detsyscall(2 /* open */, uintptr(unsafe.Pointer(dettrace.path)), flags, 0o644, 0, 0, 0)
	return int32(r), uint32(failed)
}

// dettracetask tells of an event of t that concerns nothing but another task, 0 for none.
func dettracetask(kind rawtrace.Kind, t, other reach.Task) {
	w := &dettrace
	if !w.On() {
		return
	}
	e := rawtrace.Event{Kind: kind, Task: dettasknumber(t)}
	if other != 0 {
		e.Arg = dettasknumber(other)
	}
	w.Lock()
	w.Append(e)
	w.Unlock()
}

// dettraceconstruct tells of a construct of t that has been made; finish was the innermost one before.
func dettraceconstruct(c *detconstructed, t, started reach.Task, finish uint32) {
	w := &dettrace
	if !w.On() {
		return
	}
	e := detraw(c, t, started, finish)
	w.Lock()
	w.Append(e)
	w.Unlock()
}

// detraw is the event that stands for a construct in a file.
func detraw(c *detconstructed, t, started reach.Task, finish uint32) rawtrace.Event {
	e := rawtrace.Event{Kind: rawtrace.Kind(c.kind), Task: dettasknumber(t), Addr: uint64(c.promise)}
	switch {
	case started != 0:
		e.Arg = dettasknumber(started)
	case c.other != 0:
		e.Arg = dettasknumber(c.other)
	}
	switch c.kind {
	case reach.Finish:
		e.Size = uint64(det.Innermost(t))
	case reach.EndFinish, reach.Async:
		e.Size = uint64(finish)
	}
	return e
}

// dettracejoin tells that t joins the tasks of a finish that is not the innermost one.
func dettracejoin(t reach.Task, finish uint32) {
	w := &dettrace
	if !w.On() {
		return
	}
	w.Lock()
	w.Append(rawtrace.Event{Kind: rawtrace.JoinOutOfOrder, Task: dettasknumber(t), Size: uint64(finish)})
	w.Unlock()
}

// dettracealloc tells that memory is new or gone.
func dettracealloc(addr, size uintptr) {
	w := &dettrace
	if !w.On() || det.History.Window(addr) == nil {
		return
	}
	w.Lock()
	w.Append(rawtrace.Event{Kind: rawtrace.Alloc, Addr: uint64(addr), Size: uint64(size)})
	w.Unlock()
}

// dettraceaccess tells of an access of t that has been checked, unless it was a repetition.
func dettraceaccess(t reach.Task, addr, size uintptr, a *shadow.Access, out shadow.Outcome) {
	w := &dettrace
	if !w.On() || !out.Changed && !out.Full {
		return
	}
	window := det.History.Window(addr)
	kind := [...]rawtrace.Kind{shadow.Read: rawtrace.Read, shadow.Write: rawtrace.Write,
		shadow.AtomicRead: rawtrace.AtomicRead, shadow.AtomicWrite: rawtrace.AtomicWrite}[a.Op]
	size = min(size, window.Lo+window.Size-addr)
	place := a.Place
	if detstacks.Word(callstack.ID(place)) == 0 {
		place = detfull(*a) // inside the library: who called it
	}
	w.Lock()
	if named := w.named.At(place); *named == 0 {
		*named = 1
		dettracename(place)
	}
	w.Append(rawtrace.Event{Kind: kind, Task: dettasknumber(t), Place: place, Addr: uint64(addr), Size: uint64(size)})
	w.Unlock()
}

// dettracename tells what a reader of the source would call a place, as package report
// does: the innermost frame outside the standard library; of a stack that has none, the
// innermost one outside the runtime.
func dettracename(place uint32) {
	var best detframe
	inside := true
	var u detunwinder
	for u.init(place); u.next(); {
		f := &u.frame
		if !f.std {
			best = *f
			break
		}
		if hidden := record.IsBehind(f.fn); best.file == "" || inside && !hidden {
			best, inside = *f, hidden
		}
	}
	if best.file != "" {
		dettrace.AppendName(place, best.file, uint32(best.line))
	}
}

// What follows are the detector's functions of the same names, told of in one step.

// detacquire is not ok if nothing has happened and the orders must be split before.
func detacquire(t reach.Task, addr uintptr, observed bool) (news, ok bool) {
	w := &dettrace
	on := w.On()
	if on {
		w.Lock()
	}
	if observed {
		news, ok = det.AcquireObserved(t, addr)
	} else {
		news, ok = det.Acquire(t, addr), true
	}
	if on {
		if news {
			w.Append(rawtrace.Event{Kind: rawtrace.Acquire, Task: dettasknumber(t), Addr: uint64(addr)})
		}
		w.Unlock()
	}
	return news, ok
}

func detrelease(t reach.Task, addr uintptr) {
	dettracerelease(rawtrace.Release, t, addr, false)
}

// detreleasemore is detrelease of an atomic operation, which may have read too.
func detreleasemore(t reach.Task, addr uintptr, reads bool) {
	dettracerelease(rawtrace.Release, t, addr, reads)
}

func detreleasemerge(t reach.Task, addr uintptr) {
	dettracerelease(rawtrace.ReleaseMerge, t, addr, false)
}

// detreleaseacquire is not ok like detacquire.
func detreleaseacquire(t reach.Task, addr uintptr, observed bool) (ok bool) {
	return dettracerelease(rawtrace.ReleaseAcquire, t, addr, observed)
}

// dettracerelease releases; observed is about what is acquired by it, or was before. It is
// not ok like detacquire if both are one operation.
func dettracerelease(kind rawtrace.Kind, t reach.Task, addr uintptr, observed bool) (ok bool) {
	w := &dettrace
	on, news := w.On(), uint32(0)
	if on {
		w.Lock()
	}
	learned, ok := false, true
	switch {
	case kind == rawtrace.Release && observed:
		det.ReleaseMore(t, addr)
	case kind == rawtrace.Release:
		det.Release(t, addr)
	case kind == rawtrace.ReleaseMerge:
		det.ReleaseMerge(t, addr)
	case observed:
		learned, ok = det.ReleaseAcquireObserved(t, addr)
	default:
		learned = det.ReleaseAcquire(t, addr)
	}
	if learned {
		news = 1
	}
	if on {
		if ok && det.History.Window(addr) != nil {
			w.Append(rawtrace.Event{Kind: kind, Task: dettasknumber(t), Arg: news, Addr: uint64(addr)})
		}
		w.Unlock()
	}
	return ok
}

func detacquireall(t reach.Task) {
	w := &dettrace
	if !w.On() {
		det.AcquireAll(t)
		return
	}
	w.Lock()
	det.AcquireAll(t)
	w.Append(rawtrace.Event{Kind: rawtrace.AcquireAll, Task: dettasknumber(t)})
	w.Unlock()
}
