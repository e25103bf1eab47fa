package jointree

import (
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Structured is the engine under the contract of structured programs: it takes
// every construct in any order and answers about any two started strands. Nothing
// is reclaimed. Constructs come one at a time; queries are safe meanwhile and take
// no lock.
//
// A join learns the last strands of what it joins directly; there are no objects.
// Costs beside those of the engine: 8 bytes a strand.
type Structured struct {
	Engine
	strands offheap.Table[uint64] // by number: front<<32 | position in the task; 0 for joins that run nothing
}

// Init makes room for so many tasks and strands.
func (e *Structured) Init(maxTasks, maxStrands uint32) {
	e.Engine.Init(maxTasks)
	e.strands.Init(maxStrands + 1)
}

// Traits says that the engine takes everything.
func (e *Structured) Traits() reach.Traits { return reach.Traits{Name: "jointree", Pairs: true} }

// Do adds the strands that c begins. Refused is only what there is no room for.
func (e *Structured) Do(c *reach.Construct) reach.Refusal {
	if c.After.Index() >= e.strands.Max() {
		return reach.Refusal{Why: "there are too many strands"}
	}
	switch {
	case c.Kind == reach.End:
		e.End(c.Task)
	case c.Kind.Forks():
		child := e.Fork(c.Task)
		if child == 0 {
			return reach.Refusal{Why: "there are too many tasks"}
		}
		invariants.Assert(child == c.Other, "jointree: tasks are not numbered as the run numbers them")
		e.begun(c.First)
		e.begun(c.After)
	case c.Source != 0 || len(c.Joined) > 0:
		e.join(c)
	case c.After != 0:
		advance(e.task(uint32(c.Task)))
		e.begun(c.After)
	}
	if e.Exhausted() {
		return reach.Refusal{Why: "there is no room for what the task knows"}
	}
	return reach.Refusal{}
}

// begun notes what s knows.
func (e *Structured) begun(s reach.Strand) {
	offheap.Store64(e.strands.At(s.Index()), e.task(uint32(s.Task())).current)
}

func (e *Structured) join(c *reach.Construct) {
	g := e.begin(uint32(c.Task))
	var news bool
	if c.Source != 0 {
		news = e.acquireOne(&g, e.node(c.Source))
	} else {
		for i := range c.Joined {
			last := e.node(c.Joined[i].Last)
			e.learn(&g, last.task, last.index, last.front)
		}
		news = e.finish(&g)
	}
	if !news {
		advance(e.task(uint32(c.Task)))
	}
	e.begun(c.After)
}

// node is what is learned from s.
func (e *Structured) node(s reach.Strand) node {
	at := *e.strands.At(s.Index())
	return node{task: uint32(s.Task()), index: uint32(at), front: uint32(at >> 32)}
}

// Precedes reports whether u precedes v or is v.
func (e *Structured) Precedes(u, v reach.Strand) bool {
	from, to := offheap.Load64(e.strands.At(u.Index())), offheap.Load64(e.strands.At(v.Index()))
	return e.PrecedesStrand(reach.StrandOf(u.Task(), uint32(from)), Handle{Task: v.Task(), Index: uint32(to), Front: uint32(to >> 32)})
}
