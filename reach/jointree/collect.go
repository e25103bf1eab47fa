package jointree

import (
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/reach"
)

// BeginMark starts a collection. Every other call must be stopped until
// [Engine.Sweep] returns, except [Engine.Mark] by the same caller.
func (e *Engine) BeginMark() {
	invariants.Assert(!e.marking, "jointree: collection inside a collection")
	e.marking = true
}

// Mark says that u may still be asked about. 0 is allowed.
func (e *Engine) Mark(u reach.Strand) {
	if u != 0 {
		e.markTask(uint32(u.Task()))
	}
}

// markTask marks t and its ancestors: links and shortcuts lead to them.
func (e *Engine) markTask(t uint32) {
	for t != 0 {
		r := e.task(t)
		invariants.Assert(r.state&stateUsed != 0, "jointree: mark of a reclaimed task")
		if r.state&stateMarked != 0 {
			return
		}
		r.state |= stateMarked
		t = r.parent
	}
}

// Sweep reclaims every task that has ended, has no marked strand, no
// descendant that stays and is not among the last few that released into an
// object, and all fronts that no running task and no object needs. It returns
// the number of tasks reclaimed. Handles become invalid. Cost: linear in the
// tables.
func (e *Engine) Sweep() (freed int) {
	e.markKept()
	return e.sweepUnmarked()
}

// markKept marks what stays though nobody asked for it, and ends the marking.
func (e *Engine) markKept() {
	invariants.Assert(e.marking, "jointree: sweep without mark")
	e.marking = false
	e.markTask(rootTask)
	for id := uint32(rootTask); id <= e.taskIDs.fresh; id++ {
		if r := e.task(id); r.state&(stateUsed|stateEnded) == stateUsed {
			e.markTask(id)
		}
	}
	for id := uint32(1); id <= e.objectIDs.fresh; id++ {
		ob := e.objects.At(id)
		if e.keeps(ob) > e.foldAtAcquire { // nodes keep their tasks, a base need not
			e.foldNow(ob)
		}
		e.markNodes(ob)
	}
}

// sweepUnmarked reclaims what is not marked.
func (e *Engine) sweepUnmarked() (freed int) {
	// Only now is it known which tasks fronts may name.
	e.reclaims = e.anyUnmarked()
	for id := uint32(1); id <= e.objectIDs.fresh; id++ {
		e.keepObject(e.objects.At(id))
	}
	for id := uint32(rootTask); id <= e.taskIDs.fresh; id++ {
		if r := e.task(id); r.state&stateMarked != 0 {
			e.keepTask(id, r)
		}
	}
	e.keepChains()
	freed = e.sweepTasks()
	e.blocks.sweep()
	if invariants.Enabled {
		e.check()
	}
	return freed
}

// anyUnmarked reports whether a task is to be reclaimed.
func (e *Engine) anyUnmarked() bool {
	for id := uint32(rootTask); id <= e.taskIDs.fresh; id++ {
		if e.task(id).state&(stateUsed|stateMarked) == stateUsed {
			return true
		}
	}
	return false
}

// keeps is how many nodes of ob are of tasks that are not marked.
func (e *Engine) keeps(ob *object) (unmarked uint32) {
	nd := ob.newest
	for n := ob.n; n > 0; n-- {
		if e.task(nd.task).state&stateMarked == 0 {
			unmarked++
		}
		if n > 1 {
			nd = *e.nodes.At(nd.next)
		}
	}
	return unmarked
}

func (e *Engine) markNodes(ob *object) {
	nd := ob.newest
	for n := ob.n; n > 0; n-- {
		e.markTask(nd.task)
		if n > 1 {
			nd = *e.nodes.At(nd.next)
		}
	}
}

// keepObject keeps the fronts of ob and forgets its last acquirer where ids
// could come to mean something else.
func (e *Engine) keepObject(ob *object) {
	nd := ob.newest
	for n := ob.n; n > 0; n-- {
		e.keepFront(nd.front)
		if n > 1 {
			nd = *e.nodes.At(nd.next)
		}
	}
	e.keepFront(ob.base)
	if ob.seenTask != 0 && (e.task(ob.seenTask).state&stateMarked == 0 || ob.seenBase != ob.base) {
		ob.seenTask, ob.seenN, ob.seenBase = 0, 0, 0
	}
}

// keepTask keeps the links of t and, if it runs, its front. The front of an
// ended task is in no query any more; for AcquireAll, the tasks it names stand
// for themselves.
func (e *Engine) keepTask(t uint32, r *task) {
	if r.more != 0 {
		*e.blocks.words.At(r.more) |= headerMarked
	}
	front, index := uint32(r.current>>32), uint32(r.current)
	if front == 0 {
		return
	}
	if r.state&stateEnded == 0 {
		e.keepFront(front)
		if !e.impliedFront(front, t, index) {
			return
		}
	}
	r.current = uint64(index)
}

// impliedFront reports whether front f, if it is small, says nothing that tree
// and links do not say about strand (t, i).
func (e *Engine) impliedFront(f, t, i uint32) bool {
	list := e.elements(f)
	if e.trunk(f) != 0 || len(list) > 8 {
		return false
	}
	for _, u := range list {
		c := uint32(u.Task())
		if e.chained != 0 && e.task(c).depth < e.task(t).depth { // for a successor's sake
			return false
		}
		if !e.implied(c, u.Index(), t, i) {
			return false
		}
	}
	return true
}

// keepFront marks front f, which may be 0, and takes tasks that can be
// reclaimed out of it: nobody asks about the strands of such a task or its
// descendants, and for all other strands its element says what the strand that
// forked the task says. The order stays: between that strand and the element
// there are only other strands of the task and its descendants. For a successor in a
// chain, what the strand that forked it says is in the front or implied already; the
// element says what the last strand of a task before it says, and where left
// of that are others of the same task, those say it.
func (e *Engine) keepFront(f uint32) {
	for ; f != 0 && *e.blocks.words.At(f)&headerMarked == 0; f = e.nextRun(f) {
		if e.reclaims {
			e.keepElements(f)
			if e.isLong(f) {
				e.keepTip(f + 1 + tipWord)
			}
		}
		*e.blocks.words.At(f) |= headerMarked
	}
}

// keepElements does for the elements of front f, but those of its trunk, or of a run, what
// keepFront says.
func (e *Engine) keepElements(f uint32) {
	list := e.elements(f)
	n := len(list)
	kept := n
strands:
	for k := n - 1; k >= 0; k-- {
		u := list[k]
		c, i := uint32(u.Task()), u.Index()
		for e.task(c).state&stateMarked == 0 {
			r := e.task(c)
			if r.state&stateSucceeds != 0 && e.beforeKept(c) != 0 {
				c = e.chainOf(c).before
				i = e.chainOf(c).until - 1
				continue
			}
			if r.state&stateSucceeds != 0 && kept < n {
				continue strands
			}
			c, i = r.parent, r.fork
		}
		if kept < n {
			v := list[kept]
			if e.implied(c, i, uint32(v.Task()), v.Index()) {
				continue
			}
			if e.chained != 0 && e.less(v, reach.StrandOf(reach.Task(c), i)) {
				kept++ // it took the place of a successor, and this one says it
			}
		}
		kept--
		list[kept] = reach.StrandOf(reach.Task(c), i)
	}
	length := e.blocks.length(f) - uint32(kept)
	copy(list, list[kept:])
	e.blocks.shrink(f, length)
}

// keepTip forgets the tip in word w if its task is reclaimed.
func (e *Engine) keepTip(w uint32) {
	if t := reach.Strand(*e.blocks.words.At(w)).Task(); e.task(uint32(t)).state&stateMarked == 0 {
		*e.blocks.words.At(w) = 0
	}
}

// sweepTasks frees what is not marked and removes all marks. Low ids are
// handed out first, so that the table can shrink from its end.
func (e *Engine) sweepTasks() (freed int) {
	p := &e.taskIDs
	top := p.fresh
	p.free = 0
	for id := top; id >= rootTask; id-- {
		r := e.task(id)
		if r.state&stateMarked != 0 {
			r.state &^= stateMarked
			continue
		}
		if r.state&stateUsed != 0 {
			r.state = 0
			freed++
		}
		if id == p.fresh {
			p.fresh--
		} else {
			*p.stack.At(p.free) = id
			p.free++
		}
	}
	if top-p.fresh > 1024 {
		e.tasks.Discard(p.fresh+1, top+1)
		e.keys.Discard(p.fresh+1, top+1)
	}
	return freed
}

// shrink makes block b n words long and frees the space it does not need.
func (a *arena) shrink(b, n uint32) {
	h := *a.words.At(b)
	was := uint32(h>>classShift) & classMask
	class := classOf(n)
	*a.words.At(b) = uint64(n) | uint64(class)<<classShift | h&(headerTrunk|headerRun)
	a.size -= 1<<was - 1<<class
	for at := b + 1<<class; class < was; class++ {
		*a.words.At(at) = uint64(class)<<classShift | headerFree
		at += 1 << class
	}
}

// sweep frees the blocks that are not marked and removes all marks. Free
// blocks at the end go back to the space never used.
func (a *arena) sweep() {
	clear(a.free[:])
	end := uint32(2)
	for b := uint32(2); b < a.fresh; {
		h := *a.words.At(b)
		class := uint32(h>>classShift) & classMask
		size := uint32(1) << class
		switch {
		case h&headerMarked != 0:
			*a.words.At(b) = h &^ headerMarked
			end = b + size
		case h&headerFree == 0:
			a.live--
			a.size -= uint64(size)
			fallthrough
		default:
			*a.words.At(b) = uint64(class)<<classShift | headerFree
		}
		b += size
	}
	top := a.fresh
	a.fresh = end
	for b := uint32(2); b < end; {
		h := *a.words.At(b)
		class := uint32(h>>classShift) & classMask
		if h&headerFree != 0 {
			*a.words.At(b) = h | uint64(a.free[class])
			a.free[class] = b
		}
		b += 1 << class
	}
	if top-end > 1<<16 {
		a.words.Discard(end, top)
	}
}
