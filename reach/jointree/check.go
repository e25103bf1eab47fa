package jointree

import (
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/reach"
)

// check asserts, when the world is stopped, that nothing leads to a reclaimed
// task and that fronts are in order. For builds with the tag "invariants".
func (e *Engine) check() {
	for id := uint32(rootTask); id <= e.taskIDs.fresh; id++ {
		if r := e.task(id); r.state&stateUsed != 0 {
			e.checkTask(id, r)
		}
	}
	for id := uint32(1); id <= e.objectIDs.fresh; id++ {
		ob := e.objects.At(id)
		nd := ob.newest
		for n := ob.n; n > 0; n-- {
			invariants.Assert(e.used(nd.task), "jointree: a release of a reclaimed task")
			e.checkFront(nd.front)
			if n > 1 {
				nd = *e.nodes.At(nd.next)
			}
		}
		e.checkFront(ob.base)
		invariants.Assert(ob.seenTask == 0 || e.used(ob.seenTask), "jointree: the last acquirer was reclaimed")
		invariants.Assert(ob.seenN <= ob.n, "jointree: more releases seen than there are")
	}
}

func (e *Engine) used(t uint32) bool { return t != 0 && e.task(t).state&stateUsed != 0 }

func (e *Engine) checkTask(t uint32, r *task) {
	invariants.Assert(r.state&stateMarked == 0, "jointree: a mark is left")
	if t != rootTask {
		invariants.Assert(e.used(r.parent) && e.used(r.jump), "jointree: an ancestor was reclaimed")
	}
	invariants.Assert(r.up == 0 || e.used(r.up), "jointree: a shortcut leads to a reclaimed task")
	if r.has != 0 {
		e.checkLink(t, r.first)
		last := r.first
		for k := uint32(0); r.more != 0 && k < e.linkCount(r.more); k++ {
			l := e.linkAt(r.more, k)
			e.checkLink(t, l)
			invariants.Assert(last.upTo < l.upTo, "jointree: links out of order")
			last = l
		}
	}
	e.checkFront(uint32(r.current >> 32))
	if before := e.chainOf(t).before; before != 0 {
		invariants.Assert(r.state&stateSucceeds != 0 && e.used(before) && e.chainOf(before).after == t, "jointree: a chain leads to a reclaimed task")
		invariants.Assert(e.task(before).parent == r.parent && e.rank(before) < e.rank(t), "jointree: a chain is not one of siblings in order")
	}
}

func (e *Engine) checkLink(t uint32, l link) {
	invariants.Assert(e.used(l.to) && l.to != t && e.lift(t, e.task(l.to).depth) == l.to,
		"jointree: a link leads to a task that is not a proper ancestor")
}

func (e *Engine) checkFront(f uint32) {
	if f == 0 {
		return
	}
	list := e.elements(f)
	if e.trunk(f) != 0 {
		e.checkTrunk(f)
	} else {
		invariants.Assert(len(list) > 0, "jointree: an empty front")
	}
	e.checkOrder(list)
}

// checkOrder asserts that the strands of a list are of tasks in use, and in order.
func (e *Engine) checkOrder(list []reach.Strand) {
	for k, u := range list {
		invariants.Assert(e.used(uint32(u.Task())), "jointree: a reclaimed task in a front")
		invariants.Assert(k == 0 || e.less(list[k-1], u), "jointree: a front out of order")
	}
}
