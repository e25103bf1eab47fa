package event

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/reach"
)

// Convert gives out, one after the other, the events of the trace that a judged program
// has recorded; site is the site of a line of a file. An error of out ends it.
//
// A goroutine is an async outside any finish, or a future that nobody gets where a
// finish is open. What a task releases into a synchronisation object is a promise that it
// makes and sets, if anybody takes it out; then those tasks await it. Tasks without which the
// races are the same are left out: they make no access, and no other task learns
// anything from them. Of the same kind is what is left out of the releases. If all
// tasks come from one goroutine, that is the root task; otherwise the root is the runtime, which
// does nothing but start them. Groups and finishes that a task left without joining them, or joined in
// another order than that of finishes, are futures, got or not. Tasks that had not ended when the program did
// end with the trace, the newest first.
//
// The runtime's finalizer goroutine learns what all tasks did so far: each sets a promise
// for it. To the detector of a running program, what a task does from there to its next
// construct precedes the finalizers too; in the trace it does not.
//
// Two passes over the raw trace; memory follows the number of tasks, of objects that hold
// something, and of pages that are in use.
func Convert(in *rawtrace.Reader, site func(file string, line int) string, out func(Event) error) error {
	r := &recording{
		in: in, site: site, out: out, objects: newObjects(),
		open: make(map[uint32][]uint32), owed: make(map[uint32][]uint32), finishes: make(map[uint32]*recordedFinish),
	}
	r.task(0).kept = true
	if err := r.pass(r.look); err != nil {
		return err
	}
	r.findRoot()
	r.objects, r.left = newObjects(), r.all
	r.names, r.promises, r.lines = make(map[uint32]string), make(map[uint32]uint32), make(lines)
	if err := r.pass(r.convert); err != nil {
		return err
	}
	r.close()
	return r.err
}

type recording struct {
	in   *rawtrace.Reader
	site func(file string, line int) string
	out  func(Event) error
	err  error // of out

	tasks    []recordedTask // by number
	root     uint32         // the task that is the root of the trace
	objects  objects
	finishes map[uint32]*recordedFinish

	// Of the first pass.
	needed []uint64            // a bit for each release that some task takes
	all    int                 // AcquireAlls
	open   map[uint32][]uint32 // by task: its open finishes
	owed   map[uint32][]uint32 // by task: children spawned since its last sync

	// Of the second one.
	names    map[uint32]string // by place
	promises map[uint32]uint32 // by the program's promise: that of the trace
	promised uint32            // promises of the trace
	left     int               // AcquireAlls to come
	over     []uint32          // promises of tasks that have ended
	lines    lines
	allocs   []Event // that have not been given out
}

// recordedTask is a task of the program.
type recordedTask struct {
	parent uint32
	kept   bool // it is in the trace
	loose  bool // nobody joins it, though it was spawned
	began  bool // in the second pass, like what follows
	ended  bool
	inner  uint32    // innermost finish open around what it does now
	outer  uint32    // the one that it was started in
	taken  []release // in the first pass, of a task that is not kept yet
	known  int       // of over: what a finalizer goroutine knows
}

// recordedFinish is a finish of a task.
type recordedFinish struct {
	outer   uint32 // in the second pass
	dropped bool   // it is no finish in the trace
	late    bool   // dropped because it was joined out of order
	tasks   []uint32
}

// maxRecorded is more tasks than any program can have.
const maxRecorded = 1 << 28

func (r *recording) task(t uint32) *recordedTask {
	if n := int(t) + 1; n > len(r.tasks) {
		r.tasks = append(r.tasks, make([]recordedTask, n-len(r.tasks))...)
	}
	return &r.tasks[t]
}

func (r *recording) finish(f uint32) *recordedFinish {
	if r.finishes[f] == nil {
		r.finishes[f] = new(recordedFinish)
	}
	return r.finishes[f]
}

// pass reads the raw trace from its beginning.
func (r *recording) pass(do func(e *rawtrace.Event, file []byte) error) error {
	if err := r.in.Rewind(); err != nil {
		return err
	}
	for r.err == nil {
		e, file, err := r.in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e.Task >= maxRecorded || e.Arg >= maxRecorded {
			return fmt.Errorf("the raw trace is damaged: an event of kind %d with tasks %d and %d", e.Kind, e.Task, e.Arg)
		}
		if err := do(&e, file); err != nil {
			return err
		}
	}
	return r.err
}

// look is the first pass: what matters, and what is no finish.
func (r *recording) look(e *rawtrace.Event, _ []byte) error {
	take := func(held release) { r.take(e.Task, held) }
	switch e.Kind {
	case rawtrace.Read, rawtrace.Write, rawtrace.AtomicRead, rawtrace.AtomicWrite:
		r.keep(e.Task)
	case rawtrace.Alloc:
		r.objects.forget(e.Addr, e.Size)
	case rawtrace.Go:
		r.task(e.Arg).parent = e.Task
	case rawtrace.Acquire:
		r.objects.acquire(e.Addr, e.Task, take)
	case rawtrace.Release, rawtrace.ReleaseMerge, rawtrace.ReleaseAcquire:
		k := r.task(e.Task)
		empty := !k.kept && len(k.taken) == 0
		r.objects.release(e, release{empty: empty}, take)
	case rawtrace.AcquireAll:
		r.all++
	case rawtrace.Abandon:
		for _, t := range r.owed[e.Task] {
			r.task(t).loose = true
		}
		for _, f := range r.open[e.Task] {
			r.finish(f).dropped = true
		}
		delete(r.owed, e.Task)
		delete(r.open, e.Task)
	case rawtrace.JoinOutOfOrder:
		f := r.finish(uint32(e.Size))
		f.dropped, f.late = true, true
		r.closed(e)
	default:
		r.lookAtConstruct(e)
	}
	return nil
}

func (r *recording) lookAtConstruct(e *rawtrace.Event) {
	kind := reach.Kind(e.Kind)
	if e.Kind >= rawtrace.Read { // Ended, Name
		return
	}
	r.keep(e.Task)
	switch {
	case kind.Forks():
		r.task(e.Arg).parent = e.Task
		r.keep(e.Arg)
		if kind == reach.Spawn {
			r.owed[e.Task] = append(r.owed[e.Task], e.Arg)
		}
	case kind == reach.Sync:
		delete(r.owed, e.Task)
	case kind == reach.Finish:
		r.open[e.Task] = append(r.open[e.Task], uint32(e.Size))
	case kind == reach.EndFinish:
		r.closed(e)
	}
}

// closed is that a finish of a task is not open any more.
func (r *recording) closed(e *rawtrace.Event) {
	r.open[e.Task] = slices.DeleteFunc(r.open[e.Task], func(f uint32) bool { return f == uint32(e.Size) })
}

// keep makes t a task of the trace, and those that it needs.
func (r *recording) keep(t uint32) {
	for k := r.task(t); !k.kept; k = r.task(t) {
		taken := k.taken
		k.kept, k.taken = true, nil
		for _, held := range taken {
			r.take(t, held)
		}
		t = r.tasks[t].parent
	}
}

// take is that t takes a release. Of one that is empty, who started its task has nothing to
// learn.
func (r *recording) take(t uint32, held release) {
	if held.empty && r.tasks[held.task].parent == t {
		return
	}
	k := r.task(t)
	if !k.kept {
		k.taken = append(k.taken, held)
		return
	}
	word := held.number / 64
	for uint64(len(r.needed)) <= word {
		r.needed = append(r.needed, 0)
	}
	r.needed[word] |= 1 << (held.number % 64)
	r.keep(held.task)
}

func (r *recording) isNeeded(number uint64) bool {
	return number/64 < uint64(len(r.needed)) && r.needed[number/64]>>(number%64)&1 != 0
}

// findRoot finds out which task is the root of the trace.
func (r *recording) findRoot() {
	n := 0
	for t := range r.tasks {
		if t > 0 && r.tasks[t].kept && r.tasks[t].parent == 0 {
			n++
			r.root = uint32(t)
		}
	}
	if n != 1 {
		r.root = 0
	}
}

// name is the number of a task in the trace.
func (r *recording) name(t uint32) uint32 {
	if t == r.root {
		return 0
	}
	return t
}

// release makes a release: take is told of what the task takes out.
func (o *objects) release(e *rawtrace.Event, r release, take func(release)) {
	o.releases++
	ob := o.of(e.Addr)
	r.number, r.task = o.releases, e.Task
	switch e.Kind {
	case rawtrace.ReleaseMerge:
		ob.merge(r)
		return
	case rawtrace.ReleaseAcquire:
		if e.Arg != 0 {
			ob.take(e.Task, take)
		}
	}
	ob.replace(r)
}

// convert is the second pass.
func (r *recording) convert(e *rawtrace.Event, file []byte) error {
	switch e.Kind {
	case rawtrace.Name:
		r.names[e.Place] = r.site(string(file), int(e.Addr))
		return nil
	case rawtrace.Alloc:
		r.objects.forget(e.Addr, e.Size)
		if r.lines.forget(e.Addr, e.Size) {
			r.allocs = append(r.allocs, Event{Kind: Alloc, Addr: e.Addr, Size: e.Size})
		}
		return nil
	}
	k := r.task(e.Task)
	await := func(held release) {
		if k.kept && held.promise != 0 {
			r.emit(Event{Kind: Of(reach.Await), Task: e.Task, Arg: held.promise})
		}
	}
	switch e.Kind {
	case rawtrace.Acquire:
		r.objects.acquire(e.Addr, e.Task, await)
	case rawtrace.Release, rawtrace.ReleaseMerge, rawtrace.ReleaseAcquire:
		promise := uint32(0)
		if r.isNeeded(r.objects.releases + 1) {
			promise = r.set(e.Task)
		}
		r.objects.release(e, release{promise: promise}, await)
	default:
		if e.Kind == rawtrace.AcquireAll {
			r.left--
		}
		if k.kept {
			r.convertKept(e, k)
		}
	}
	return nil
}

// convertKept is convert for the rest of what a task of the trace does.
func (r *recording) convertKept(e *rawtrace.Event, k *recordedTask) {
	switch e.Kind {
	case rawtrace.Read, rawtrace.Write, rawtrace.AtomicRead, rawtrace.AtomicWrite:
		kind := [...]Kind{Read, Write, AtomicRead, AtomicWrite}[e.Kind-rawtrace.Read]
		r.lines.touch(e.Addr, e.Size)
		r.emit(Event{Kind: kind, Task: e.Task, Addr: e.Addr, Size: e.Size, Site: r.names[e.Place]})
	case rawtrace.Go:
		kind := reach.Async
		if k.inner != 0 {
			kind = reach.Create
		}
		r.start(kind, e)
	case rawtrace.Ended:
		r.end(e.Task)
	case rawtrace.AcquireAll:
		r.acquireAll(e.Task)
	case rawtrace.Abandon:
	case rawtrace.JoinOutOfOrder:
		for _, t := range r.finish(uint32(e.Size)).tasks {
			r.emit(Event{Kind: Of(reach.Get), Task: e.Task, Arg: r.name(t)})
		}
	default:
		r.construct(e, k)
	}
}

// construct is a construct of package task.
func (r *recording) construct(e *rawtrace.Event, k *recordedTask) {
	kind := reach.Kind(e.Kind)
	out := Event{Kind: Of(kind), Task: e.Task}
	switch kind {
	case reach.Spawn, reach.Async, reach.Create, reach.Fork:
		r.start(kind, e)
		return
	case reach.Finish:
		f := r.finish(uint32(e.Size))
		if f.dropped {
			return
		}
		f.outer, k.inner = k.inner, uint32(e.Size)
	case reach.EndFinish:
		f := r.finish(uint32(e.Size))
		k.inner = f.outer
		delete(r.finishes, uint32(e.Size))
	case reach.Get, reach.Join:
		out.Arg = r.name(e.Arg)
	case reach.Set, reach.Await, reach.Block:
		p, ok := r.promises[uint32(e.Addr)]
		if !ok {
			p = r.promise(e.Task)
			r.promises[uint32(e.Addr)] = p
		}
		out.Arg = p
	case reach.End:
		r.end(e.Task)
		return
	}
	r.emit(out)
}

// start is the start of a task.
func (r *recording) start(kind reach.Kind, e *rawtrace.Event) {
	child := r.task(e.Arg)
	if !child.kept || e.Arg == r.root {
		return
	}
	if f := uint32(e.Size); kind == reach.Async && f != 0 && r.finish(f).dropped {
		kind = reach.Create
		if r.finish(f).late {
			r.finish(f).tasks = append(r.finish(f).tasks, e.Arg)
		}
	}
	if child.loose {
		kind = reach.Create
	}
	child.began, child.inner = true, r.tasks[e.Task].inner
	child.outer = child.inner
	r.emit(Event{Kind: Of(kind), Task: e.Task, Arg: r.name(e.Arg)})
}

// promise makes a promise for a task.
func (r *recording) promise(t uint32) uint32 {
	r.promised++
	r.emit(Event{Kind: Promise, Task: t, Arg: r.promised})
	return r.promised
}

// set makes a promise that stands for what t did so far.
func (r *recording) set(t uint32) uint32 {
	p := r.promise(t)
	r.emit(Event{Kind: Of(reach.Set), Task: t, Arg: p})
	return p
}

// acquireAll lets t await what every task did so far.
func (r *recording) acquireAll(t uint32) {
	k := r.task(t)
	await := r.over[k.known:]
	k.known = len(r.over)
	for other := range r.tasks {
		o := &r.tasks[other]
		if other := uint32(other); o.kept && !o.ended && other != t && (other == r.root || o.began) && other != 0 {
			await = append(await[:len(await):len(await)], r.set(other))
		}
	}
	for _, p := range await {
		r.emit(Event{Kind: Of(reach.Await), Task: t, Arg: p})
	}
}

func (r *recording) end(t uint32) {
	if r.left > 0 {
		r.over = append(r.over, r.set(t))
	}
	r.emit(Event{Kind: Of(reach.End), Task: t})
	r.tasks[t].ended = true
}

// close ends the tasks that have not ended.
func (r *recording) close() {
	r.left = 0
	for t := len(r.tasks) - 1; t >= 0; t-- {
		k := &r.tasks[t]
		if k.ended || !k.began && uint32(t) != r.root {
			continue
		}
		for ; k.inner != k.outer; k.inner = r.finish(k.inner).outer {
			r.emit(Event{Kind: Of(reach.EndFinish), Task: uint32(t)})
		}
		r.end(uint32(t))
	}
}

// emit gives out an event of a task of the program. Memory that was made new before is so by
// that task: it is one that runs.
func (r *recording) emit(e Event) {
	e.Task = r.name(e.Task)
	for i := range r.allocs {
		r.allocs[i].Task = e.Task
		r.write(r.allocs[i])
	}
	r.allocs = r.allocs[:0]
	r.write(e)
}

func (r *recording) write(e Event) {
	if r.err == nil {
		r.err = r.out(e)
	}
}
