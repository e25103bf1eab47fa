package rsketch

import "github.com/detrace/detrace/reach"

// Do processes the strands that c begins. Cost: the package comment's.
func (e *Engine) Do(c *reach.Construct) reach.Refusal {
	if c.Kind == reach.Fork || c.Kind == reach.Join {
		return reach.Refusal{Why: "fork and join make a line of tasks, which is not series-parallel; the engine lattice takes it", Other: c.Other}
	}
	if r := e.room(c); r.Refused() {
		return r
	}
	u := e.last(c.Before)
	switch c.Kind {
	case reach.Spawn, reach.Async, reach.Create:
		e.start(c, u)
	case reach.Sync, reach.EndFinish:
		e.joinAll(c, u)
	case reach.Finish:
		*e.finishers.At(c.Finish) = uint32(c.Task)
		e.follow(u, c.After.Index())
	case reach.Set:
		e.makeAnchor(u)
		e.follow(u, c.After.Index())
	case reach.Get, reach.Await:
		e.follow(u, c.After.Index())
		e.target(c.Source, c.After.Index())
	case reach.Block:
		e.block(u)
	case reach.End:
		if t := e.tasks.At(uint32(c.Task)); t.hung && t.joined {
			e.makeAnchor(u)
		}
	}
	e.processed = max(e.processed, c.After.Index())
	return reach.Refusal{}
}

// room refuses a construct whose nodes, or the anchors that they might make, there
// might be no room for.
func (e *Engine) room(c *reach.Construct) reach.Refusal {
	const each = 6 // a hung child: its creator and it, its end and its join; two forks
	// A join of a fork becomes an anchor only if the fork is one, and a hung child is.
	joins := min(uint64(len(c.Joined)), uint64(e.closure.vertexCount))
	switch {
	case c.After.Index() > e.strands || e.others+2 >= e.nodes.Max():
		return reach.Refusal{Why: "there are more strands than the engine was given room for"}
	case uint32(c.Other) >= e.tasks.Max() || c.Finish >= e.finishers.Max():
		return reach.Refusal{Why: "there are more tasks than the engine was given room for"}
	case e.closure.full(each * (1 + joins)):
		return reach.Refusal{Why: "there are too many futures, sets and awaits to keep the closure of what they order; " +
			"engines that do not keep one take such programs"}
	}
	return reach.Refusal{}
}

// last is the node that strand s, which has no strand after it yet, ends in: that of
// the strand, or the one in which it blocked.
func (e *Engine) last(s reach.Strand) uint32 {
	if next := e.node(s.Index()).next; next != 0 {
		return next
	}
	return s.Index()
}

// block processes the node in which a strand waits. Its place in R is found now, when
// what is left of it has not gone on.
func (e *Engine) block(u uint32) {
	if u > e.strands { // it has blocked before
		return
	}
	b := e.newNode()
	e.follow(u, b)
	e.makeAnchor(b)
}

// target makes v, a strand just processed, the target of a non-SP edge; if the strand
// before it blocked, the node in which it did.
func (e *Engine) target(source reach.Strand, v uint32) {
	if u := e.node(v).pred; u > e.strands {
		v = u
	} else {
		e.makeAnchor(v)
	}
	e.edge(e.source(source), v)
}

// source is the anchor that strand s, which is over, ended in.
func (e *Engine) source(s reach.Strand) uint32 {
	if x := s.Index(); e.node(x).vertex != 0 {
		return x
	}
	return e.last(s)
}

// start processes the first strand of a child and the continuation.
func (e *Engine) start(c *reach.Construct, u uint32) {
	first, after := c.First.Index(), c.After.Index()
	e.newest = max(e.newest, uint32(c.Other))
	parent, child := e.tasks.At(uint32(c.Task)), e.tasks.At(uint32(c.Other))
	*child = task{joined: c.Kind != reach.Async || c.Finish != 0}
	if c.Kind == reach.Async {
		child.finish = c.Finish
	}
	if child.hung = !e.nests(c, parent); child.hung {
		e.makeAnchor(u)
		e.hang(first)
		e.makeAnchor(first)
		e.edge(u, first)
		e.follow(u, after)
		return
	}
	switch {
	case c.Kind == reach.Spawn:
		parent.spawned++
	case c.Finish != parent.finish:
		parent.inside++
	}
	e.fork(u, first, after)
	e.process(u, first)
	e.process(u, after)
}

// nests reports whether it is sure that the join of the child that c starts comes
// before those of the children in the SP dag that its parent has started and not
// joined. The parent's syncs and the ends of its own finishes come before the end of
// a finish that it was started in, of which of the others comes first nothing is
// known, and finishes of its own end innermost first.
func (e *Engine) nests(c *reach.Construct, parent *task) bool {
	switch {
	case c.Kind == reach.Spawn:
		return parent.inside == 0
	case c.Kind == reach.Async && c.Finish != 0:
		own := *e.finishers.At(c.Finish) == uint32(c.Task)
		return parent.spawned == 0 && (own || parent.finish == c.Finish)
	}
	return false
}

// hang processes v, the first strand of a task, on the left of a new fork of the chain.
func (e *Engine) hang(v uint32) {
	f := e.tail
	e.process(e.chain, f)
	e.chain, e.tail = f, e.newNode()
	e.fork(f, v, e.tail)
	e.process(f, v)
}

// joinAll processes the nested joins of a Sync or EndFinish.
func (e *Engine) joinAll(c *reach.Construct, u uint32) {
	v := c.After.Index()
	if len(c.Joined) == 0 {
		e.follow(u, v)
		return
	}
	joiner := e.tasks.At(uint32(c.Task))
	joiner.end = u
	for i := range c.Joined {
		e.tasks.At(uint32(c.Joined[i].Task)).end = e.last(c.Joined[i].Last)
	}
	v -= uint32(len(c.Joined))
	for i := range c.Joined {
		v++
		j := &c.Joined[i]
		child, into := e.tasks.At(uint32(j.Task)), e.tasks.At(uint32(j.Into))
		if child.hung {
			e.makeAnchor(child.end)
			e.follow(into.end, v)
			e.makeAnchor(v)
			e.edge(child.end, v)
		} else {
			e.join(child.end, into.end, v)
			if j.Into == c.Task && c.Kind == reach.EndFinish {
				joiner.inside--
			}
		}
		into.end = v
	}
	if c.Kind == reach.Sync {
		joiner.spawned = 0
	}
}
