package multibagsplus

import "github.com/detrace/detrace/reach"

// sync joins the children of a sync block, last created first. R may be full, and then
// nothing must have changed: so it comes first, and the sets when all is in it.
func (e *Engine) sync(c *reach.Construct) (fits bool) {
	next := e.r.count + 1
	e.relate(c)
	if e.r.full() {
		return false
	}
	e.merge(c, next)
	for i := range c.Joined {
		e.dsp.Join(uint32(c.Task), uint32(c.Joined[i].Task))
		e.nest.Join(uint32(c.Task), uint32(c.Joined[i].Task))
	}
	return true
}

// relate adds to R what the joins of c attach: of each join whose sides both
// end attached, the fork, if that is not yet, and the join, in this order.
func (e *Engine) relate(c *reach.Construct) {
	right := e.attached(c.Before) // the end of the right side in R, 0 if unattached
	for i := range c.Joined {
		j := &c.Joined[i]
		left, fork := e.attached(j.Last), e.attached(j.Fork)
		switch {
		case left != 0 && right != 0:
			if fork == 0 {
				e.r.addFork(e.r.after(e.of(j.Fork).pred, 0), *e.attachedAtFork.At(uint32(j.Task))+1)
			}
			right = e.r.add(e.r.after(left, right))
		case left != 0:
			right = left
		case right == 0:
			right = fork
		}
	}
}

// merge unites the sets of strands around the joins of c. What relate added to R has
// the numbers from next on. The end of the right side of the next join is known as an
// element of its set: a join strand that runs nothing need not be in it.
func (e *Engine) merge(c *reach.Construct, next uint32) {
	end := c.Before
	join := reach.StrandOf(c.Task, c.After.Index()-uint32(len(c.Joined)))
	for i := range c.Joined {
		j := &c.Joined[i]
		join++
		left, right := e.dnsp.Find(j.Last.Index()), e.dnsp.Find(end.Index())
		fork := e.dnsp.Find(j.Fork.Index())
		forkAttached := e.dnsp.Label(fork)
		switch leftAttached, rightAttached := e.dnsp.Label(left), e.dnsp.Label(right); {
		case !leftAttached && !rightAttached:
			e.unite(e.unite(fork, left), right)
			end = j.Fork
		case leftAttached && rightAttached:
			if !forkAttached {
				e.attach(j.Fork, next)
				next++
			}
			e.add(join, next)
			next++
			end = join
		case leftAttached:
			e.proxies.At(right).succ = e.proxies.At(left).pred
			if !forkAttached {
				e.unite(e.dnsp.Find(j.First.Index()), fork)
			}
			end = j.Last
		default:
			e.proxies.At(left).succ = e.proxies.At(right).pred
			if !forkAttached {
				e.unite(e.dnsp.Find(j.Continuation.Index()), fork)
			}
		}
	}
	if end != c.After {
		e.dnsp.Insert(c.After.Index(), e.dnsp.Find(end.Index()))
	}
}
