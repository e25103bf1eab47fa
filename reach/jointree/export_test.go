package jointree

import "github.com/detrace/detrace/reach"

// Cramp makes what only large programs reach happen in small ones: objects
// fold at once, fronts have trunks, chains begin early, keys end soon, and merges must make room again and
// again.
func (e *Engine) Cramp() {
	e.foldAtAcquire, e.foldAtRelease = 1, 2
	e.maxKey, e.maxPlain, e.maxDelta, e.growth, e.chainFrom = 6, 2, 2, 3, 0
	for i := range e.scratch {
		e.scratch[i].limit = 3
	}
}

// AcquireByRules is Acquire of an object with one release at most, without what is
// special to families.
func (e *Engine) AcquireByRules(t reach.Task, o Object) (news bool) {
	ob := e.object(o)
	g := e.begin(uint32(t))
	if ob.n > 0 {
		e.learn(&g, ob.newest.task, ob.newest.index, ob.newest.front)
	}
	return e.finish(&g)
}

// Chained reports whether there ever was a chain.
func (e *Engine) Chained() bool { return e.chained != 0 }
