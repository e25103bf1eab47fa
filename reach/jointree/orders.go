package jointree

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Orders keeps two orders of one program. The embedded engine has all edges: how
// this schedule happened to go. The other has the certain ones only: those that exist
// in every schedule. Both number strands alike, so a remembered strand can be asked
// about in both.
//
// While no acquire by an observed edge teaches anything, the orders are equal and
// there is only one. The first that would is refused, and made again after
// [Orders.Split].
//
// An edge is observed or certain by who acquires: what is released is there for both.
//
// The methods that Engine has too are those of certain edges: they are for both
// orders. Costs: those of Engine, twice once the orders are split.
type Orders struct {
	Engine
	certain Engine
	split   uint32 // atomic
}

// IsSplit reports whether there are two orders by now.
//
//go:nosplit
func (o *Orders) IsSplit() bool { return offheap.Load32(&o.split) != 0 }

// Splits reports whether an observed acquire of ob by t would be refused now. It is for
// those who cannot make it again; an answer is outdated once others release.
func (o *Orders) Splits(t reach.Task, ob Object) bool {
	if ob == 0 || o.IsSplit() {
		return false
	}
	r := o.object(ob)
	r.lock.Lock()
	news := o.holdsNews(t, r)
	r.lock.Unlock()
	return news
}

// holdsNews reports whether ob, which is locked, may hold what t does not know. It may
// say yes where no is right.
func (e *Engine) holdsNews(t reach.Task, ob *object) bool {
	nd := ob.newest
	for n := ob.n; n > 0; n-- {
		if !e.Precedes(reach.StrandOf(reach.Task(nd.task), nd.index), t) {
			return true
		}
		if n > 1 {
			nd = *e.nodes.At(nd.next)
		}
	}
	for b := ob.base; b != 0; b = e.nextRun(b) {
		for _, u := range e.elements(b) {
			if !e.Precedes(u, t) {
				return true
			}
		}
	}
	return false
}

// Split begins the second order, which is the first as it is now. Every other caller
// must be stopped. Cost: a copy of what is in use.
func (o *Orders) Split() {
	if o.IsSplit() {
		return
	}
	o.certain.copyOf(&o.Engine)
	offheap.Store32(&o.split, 1)
}

// copyOf makes e a copy of the engine from.
func (e *Engine) copyOf(from *Engine) {
	e.Init(from.taskIDs.max)
	copyTable(&e.tasks, &from.tasks, from.taskIDs.fresh+1)
	copyTable(&e.keys, &from.keys, from.taskIDs.fresh+1)
	copyTable(&e.chains, &from.chains, from.taskIDs.fresh+1)
	copyTable(&e.objects, &from.objects, from.objectIDs.fresh+1)
	copyTable(&e.nodes, &from.nodes, from.nodeIDs.fresh+1)
	copyTable(&e.blocks.words, &from.blocks.words, from.blocks.fresh)
	e.taskIDs.copyOf(&from.taskIDs)
	e.objectIDs.copyOf(&from.objectIDs)
	e.nodeIDs.copyOf(&from.nodeIDs)
	e.blocks.fresh, e.blocks.live, e.blocks.size, e.blocks.free = from.blocks.fresh, from.blocks.live, from.blocks.size, from.blocks.free
	e.maxKey, e.maxPlain, e.maxDelta, e.growth = from.maxKey, from.maxPlain, from.maxDelta, from.growth
	e.chainFrom, e.lines = from.chainFrom, from.lines
	e.chained, e.exhausted = from.chained, from.exhausted
	e.sole = from.sole
	e.foldAtAcquire, e.foldAtRelease = from.foldAtAcquire, from.foldAtRelease
}

func (p *ids) copyOf(from *ids) {
	copyTable(&p.stack, &from.stack, from.free)
	p.fresh, p.free, p.given = from.fresh, from.free, from.given
}

func copyTable[T any](to, from *offheap.Table[T], n uint32) {
	copy(unsafe.Slice(to.At(0), n), unsafe.Slice(from.At(0), n))
}

// Certain reports whether u, which precedes the current strand of t or is it, does so
// by certain edges.
func (o *Orders) Certain(u reach.Strand, t reach.Task) bool {
	return !o.IsSplit() || o.certain.Precedes(u, t)
}

// follow makes the current strand of t that of all edges in the order of certain ones
// too.
func (o *Orders) follow(t reach.Task) { o.certain.SetIndex(t, o.Strand(t).Index()) }

// even gives the current strand of t one position in both orders.
func (o *Orders) even(t reach.Task) {
	all, certain := o.Strand(t).Index(), o.certain.Strand(t).Index()
	switch {
	case all < certain:
		o.Engine.SetIndex(t, certain)
	case certain < all:
		o.certain.SetIndex(t, all)
	}
}

// Fork is [Engine.Fork].
func (o *Orders) Fork(parent reach.Task) reach.Task {
	t := o.Engine.Fork(parent)
	if t != 0 && o.IsSplit() {
		o.certain.forkAs(parent, uint32(t))
	}
	return t
}

// SetIndex is [Engine.SetIndex].
func (o *Orders) SetIndex(t reach.Task, index uint32) {
	o.Engine.SetIndex(t, index)
	if o.IsSplit() {
		o.certain.SetIndex(t, index)
	}
}

// Rewind is [Engine.Rewind].
func (o *Orders) Rewind(t reach.Task, index uint32) {
	o.Engine.Rewind(t, index)
	if o.IsSplit() {
		o.certain.Rewind(t, index)
	}
}

// Advance begins t's next strand, although nothing became ordered.
func (o *Orders) Advance(t reach.Task) { o.SetIndex(t, o.Strand(t).Index()+1) }

// End is [Engine.End].
func (o *Orders) End(t reach.Task) {
	if o.IsSplit() {
		o.certain.End(t)
	}
	o.Engine.End(t)
}

// NewObject is [Engine.NewObject].
func (o *Orders) NewObject() Object {
	ob := o.Engine.NewObject()
	if o.IsSplit() {
		o.certain.objectIDs.reach(uint32(ob))
	}
	return ob
}

// reach makes id one of those ever handed out.
func (p *ids) reach(id uint32) {
	p.lock.Lock()
	if p.fresh < id {
		offheap.Store32(&p.fresh, id)
	}
	p.lock.Unlock()
}

// FreeObject is [Engine.FreeObject].
func (o *Orders) FreeObject(ob Object) {
	if ob != 0 && o.IsSplit() {
		o.certain.forget(ob)
	}
	o.Engine.FreeObject(ob)
}

// forget makes o hold nothing.
func (e *Engine) forget(o Object) {
	ob := e.object(o)
	ob.lock.Lock()
	e.empty(ob)
	ob.lock.Unlock()
}

// SetSole is [Engine.SetSole].
func (o *Orders) SetSole(t reach.Task) {
	o.Engine.SetSole(t)
	if o.IsSplit() {
		o.certain.SetSole(t)
	}
}

// Release is [Engine.Release].
func (o *Orders) Release(t reach.Task, ob Object) {
	o.Engine.Release(t, ob)
	if o.IsSplit() {
		o.certain.Release(t, ob)
	}
}

// ReleaseMerge is [Engine.ReleaseMerge].
func (o *Orders) ReleaseMerge(t reach.Task, ob Object) {
	o.Engine.ReleaseMerge(t, ob)
	if o.IsSplit() {
		o.certain.ReleaseMerge(t, ob)
	}
}

// Acquire is [Engine.Acquire]. A strand begins when either order learned.
func (o *Orders) Acquire(t reach.Task, ob Object) (news bool) {
	news = o.Engine.Acquire(t, ob)
	if o.IsSplit() {
		o.certain.Acquire(t, ob)
		o.even(t)
	}
	return news
}

// ReleaseAcquire is [Engine.ReleaseAcquire].
func (o *Orders) ReleaseAcquire(t reach.Task, ob Object) (news bool) {
	news = o.Engine.ReleaseAcquire(t, ob)
	if o.IsSplit() {
		o.certain.ReleaseAcquire(t, ob)
		o.even(t) // a sole task's strand begins where there was news
	}
	return news
}

// AcquireAll is [Engine.AcquireAll].
func (o *Orders) AcquireAll(t reach.Task) {
	o.Engine.AcquireAll(t)
	if o.IsSplit() {
		o.certain.AcquireAll(t)
		o.even(t)
	}
}

// AcquireObserved is [Orders.Acquire] by an observed edge. It is refused, and nothing has
// happened, if the orders must be split before. Whether they must and the acquire are one
// step: what another task releases in between would be taken for certain.
func (o *Orders) AcquireObserved(t reach.Task, ob Object) (news, ok bool) {
	if !o.IsSplit() {
		return false, !o.Splits(t, ob)
	}
	news = o.Engine.Acquire(t, ob)
	if news {
		o.follow(t)
	}
	return news, true
}

// ReleaseAcquireObserved is [Orders.ReleaseAcquire] of which the acquire is an observed
// edge. It is refused like [Orders.AcquireObserved].
func (o *Orders) ReleaseAcquireObserved(t reach.Task, ob Object) (news, ok bool) {
	if o.IsSplit() {
		news = o.Engine.ReleaseAcquire(t, ob)
		o.certain.Release(t, ob)
		o.even(t)
		return news, true
	}
	if ob == 0 {
		return false, true
	}
	r := o.object(ob)
	r.lock.Lock()
	if ok = !o.holdsNews(t, r); ok {
		news = o.releaseAcquire(t, r)
	}
	r.lock.Unlock()
	return news, ok
}

// ReleaseMore makes ob hold what t did, like Release; in the order of certain edges
// it goes on to hold what it held. It is for operations that read, by an observed edge,
// and write.
func (o *Orders) ReleaseMore(t reach.Task, ob Object) {
	o.Engine.Release(t, ob)
	if o.IsSplit() {
		o.certain.ReleaseMerge(t, ob)
	}
}

// BeginMark is [Engine.BeginMark].
func (o *Orders) BeginMark() {
	o.Engine.BeginMark()
	if o.IsSplit() {
		o.certain.BeginMark()
	}
}

// Sweep is [Engine.Sweep]: a task stays in both orders or in none.
func (o *Orders) Sweep() (freed int) {
	if !o.IsSplit() {
		return o.Engine.Sweep()
	}
	o.Engine.markKept()
	o.certain.markKept()
	for id := uint32(rootTask); id <= o.taskIDs.fresh; id++ {
		if (o.Engine.task(id).state|o.certain.task(id).state)&stateMarked != 0 {
			o.Engine.markTask(id)
			o.certain.markTask(id)
		}
	}
	o.certain.sweepUnmarked()
	return o.Engine.sweepUnmarked()
}

// Exhausted is [Engine.Exhausted], of either order.
func (o *Orders) Exhausted() bool { return o.Engine.Exhausted() || o.certain.Exhausted() }

// Bytes is [Engine.Bytes], of both orders.
func (o *Orders) Bytes() uint64 {
	if !o.IsSplit() {
		return o.Engine.Bytes()
	}
	return o.Engine.Bytes() + o.certain.Bytes()
}
