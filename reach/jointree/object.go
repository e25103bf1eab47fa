package jointree

import (
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Object is what releases put knowledge into and acquires take it out of: a
// message slot, a lock, the counter of a WaitGroup. 0 is no object: operations
// on it do nothing.
type Object uint32

// object holds releases: nodes, the newest here and the rest in a list, newest
// first, and a front of older ones.
type object struct {
	lock     offheap.Lock
	n        uint32 // nodes
	newest   node   // valid if n > 0
	base     uint32 // front of the releases that are nodes no more
	seenTask uint32 // the last acquirer, 0 none; it knows
	seenN    uint32 // the oldest so many nodes
	seenBase uint32 // and this base
}

// node is a release: the strand whose end it was, and its front.
type node struct{ task, index, front, next uint32 }

// handle is the strand of n.
func (n *node) handle() Handle {
	return Handle{Task: reach.Task(n.task), Index: n.index, Front: n.front}
}

func (e *Engine) object(o Object) *object { return e.objects.At(uint32(o)) }

// NewObject returns an empty object, 0 when the table of objects is full.
func (e *Engine) NewObject() Object {
	id, _ := e.objectIDs.get()
	if id == 0 {
		offheap.Store32(&e.exhausted, 1)
	}
	return Object(id)
}

// FreeObject forgets o, which nobody may use any more.
func (e *Engine) FreeObject(o Object) {
	if o == 0 {
		return
	}
	ob := e.object(o)
	ob.lock.Lock()
	e.empty(ob)
	ob.lock.Unlock()
	e.objectIDs.put(uint32(o))
}

// empty makes ob hold nothing.
func (e *Engine) empty(ob *object) {
	e.dropNodes(ob)
	ob.base, ob.seenTask, ob.seenN, ob.seenBase = 0, 0, 0, 0
}

func (e *Engine) dropNodes(ob *object) {
	if ob.n > 1 {
		id := ob.newest.next
		for k := ob.n; k > 1; k-- {
			next := e.nodes.At(id).next
			e.nodeIDs.put(id)
			id = next
		}
	}
	ob.n, ob.newest, ob.seenN = 0, node{}, 0
}

// SetSole says that t, which is about to release, is sole: until it forks, nobody else acts who
// could acquire that. All who will are forked later, by t or by those, and know what t did up to
// the fork. So releases of t begin no strand until it forks or SetSole is called again, with 0 for
// no task: what t accesses over and over remains known to be of one strand.
func (e *Engine) SetSole(t reach.Task) { offheap.Store32(&e.sole, uint32(t)) }

// Sole is the task that SetSole was called for last.
func (e *Engine) Sole() reach.Task { return reach.Task(offheap.Load32(&e.sole)) }

// released begins the strand of t, whose record is r, that follows a release.
func (e *Engine) released(t uint32, r *task) {
	if offheap.Load32(&e.sole) == t {
		r.acted()
		return
	}
	advance(r)
}

// Release makes o hold exactly what t knows and begins t's next strand. It
// must be called before what it stands for can be seen. Cost: O(1).
func (e *Engine) Release(t reach.Task, o Object) {
	if o == 0 {
		return
	}
	r, ob := e.task(uint32(t)), e.object(o)
	ob.lock.Lock()
	e.replace(ob, uint32(t), r.current)
	ob.lock.Unlock()
	e.released(uint32(t), r)
}

// replace makes the strand of t described by current all that ob holds.
func (e *Engine) replace(ob *object, t uint32, current uint64) {
	e.empty(ob)
	ob.n, ob.newest = 1, node{task: t, index: uint32(current), front: uint32(current >> 32)}
}

// ReleaseMerge adds what t knows to o and begins t's next strand; see
// [Engine.Release]. Cost: O(1), and amortised over many merges a sort.
func (e *Engine) ReleaseMerge(t reach.Task, o Object) {
	if o == 0 {
		return
	}
	r, ob := e.task(uint32(t)), e.object(o)
	ob.lock.Lock()
	e.merge(ob, uint32(t), r.current)
	if ob.n > e.foldAtRelease {
		e.fold(ob)
	}
	ob.lock.Unlock()
	e.released(uint32(t), r)
}

func (e *Engine) merge(ob *object, t uint32, current uint64) {
	next := uint32(0)
	if ob.n > 0 && ob.newest.task == t {
		// The same task knows all that it knew.
		next = ob.newest.next
		if ob.n--; ob.seenN > ob.n {
			ob.seenN = ob.n
		}
	} else if ob.n > 0 {
		next, _ = e.nodeIDs.get()
		if next == 0 {
			e.foldNow(ob)
			if ob.n > 0 {
				offheap.Store32(&e.exhausted, 1)
				return
			}
		} else {
			*e.nodes.At(next) = ob.newest
		}
	}
	ob.newest = node{task: t, index: uint32(current), front: uint32(current >> 32), next: next}
	ob.n++
}

// Acquire teaches t what o holds and reports whether that was news; if so, it
// begins t's next strand. It must be called after what it stands for was seen.
func (e *Engine) Acquire(t reach.Task, o Object) (news bool) {
	if o == 0 {
		return false
	}
	ob := e.object(o)
	ob.lock.Lock()
	news = e.acquire(uint32(t), ob, false)
	if ob.n > e.foldAtAcquire {
		e.fold(ob)
		ob.seenBase = ob.base
	}
	ob.lock.Unlock()
	return news
}

// acquire teaches t what ob holds and reports whether a strand began. The strand before
// is settled if others may know it.
func (e *Engine) acquire(t uint32, ob *object, settled bool) bool {
	g := e.begin(t)
	g.settled = settled
	n := ob.n
	if ob.seenTask == t {
		n -= ob.seenN
	}
	if n == 1 && ob.base == 0 {
		ob.seenTask, ob.seenN, ob.seenBase = t, ob.n, 0
		return e.acquireOne(&g, ob.newest)
	}
	var seen trunks
	g.trunks = &seen
	for nd := ob.newest; n > 0; n-- {
		e.learn(&g, nd.task, nd.index, nd.front)
		if n > 1 {
			nd = *e.nodes.At(nd.next)
		}
	}
	if ob.base != 0 && (ob.seenTask != t || ob.seenBase != ob.base) {
		e.learnFront(&g, Handle{Front: ob.base})
	}
	ob.seenTask, ob.seenN, ob.seenBase = t, ob.n, ob.base
	return e.finish(&g)
}

// ReleaseAcquire makes o hold exactly what t knew before the call, teaches t
// what o held, and begins t's next strand. It reports whether what o held was news.
func (e *Engine) ReleaseAcquire(t reach.Task, o Object) (news bool) {
	if o == 0 {
		return false
	}
	ob := e.object(o)
	ob.lock.Lock()
	news = e.releaseAcquire(t, ob)
	ob.lock.Unlock()
	return news
}

// releaseAcquire is ReleaseAcquire of ob, which is locked.
func (e *Engine) releaseAcquire(t reach.Task, ob *object) (news bool) {
	r := e.task(uint32(t))
	before := r.current
	news = e.acquire(uint32(t), ob, true)
	if !news {
		e.released(uint32(t), r)
	}
	r.acted()
	e.replace(ob, uint32(t), before)
	return news
}

// AcquireAll teaches t, and all that follows in it, the current strand of every
// task that has not been reclaimed, ended ones included; what those tasks still
// do in that strand counts too. Cost: linear in the number of tasks.
func (e *Engine) AcquireAll(t reach.Task) {
	g := e.begin(uint32(t))
	var seen trunks
	g.trunks = &seen
	last := offheap.Load32(&e.taskIDs.fresh)
	for id := uint32(rootTask); id <= last; id++ {
		r := e.task(id)
		if id == g.t || offheap.Load32(&r.state)&stateUsed == 0 {
			continue
		}
		e.settle(id)
		c := offheap.Load64(&r.current)
		if r.succeeds() && uint32(c) == e.chainOf(id).start { // since a moment, and its front does not say it yet
			e.learn(&g, r.parent, r.fork, 0)
		}
		e.learn(&g, id, uint32(c), uint32(c>>32))
	}
	e.finish(&g)
}

// fold turns the nodes of ob into elements of its base once the nodes outnumber
// the elements: then it costs little per node.
func (e *Engine) fold(ob *object) {
	if ob.base == 0 || ob.n > e.size(ob.base) {
		e.foldNow(ob)
	}
}

// foldNow is fold at any cost. There is no harm done when memory does not
// suffice.
func (e *Engine) foldNow(ob *object) {
	invariants.Assert(ob.n > 0, "jointree: nothing to fold")
	s := e.borrow(ob.newest.task)
	var top Handle
	last, seen := uint32(0), trunks{}
	for nd, n := ob.newest, ob.n; ; n-- {
		// Whatever precedes top knows no more than top.
		u, h := reach.StrandOf(reach.Task(nd.task), nd.index), nd.handle()
		if h.Front == 0 || top.Task == 0 || !e.PrecedesStrand(u, top) {
			e.push(s, u)
			if h.Front != last && !e.claims(last, e.ownVersion(h.Front)) && !e.knownToTop(e.tip(h.Front), top) {
				e.pushFrontAfter(s, h.Front, last, top, &seen)
				last = h.Front
			}
			top = e.topOf(top, h)
		}
		if n == 1 {
			break
		}
		nd = *e.nodes.At(nd.next)
	}
	e.pushFrontAfter(s, ob.base, 0, Handle{}, &seen)
	e.sort(s)
	base, ok := e.newFront(s, e.prune(s), 0, 0, ob.base, last)
	s.lock.Unlock()
	if ok {
		ob.base = base
		e.dropNodes(ob)
	}
}
