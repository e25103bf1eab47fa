// Package spbags is the engine SP-Bags for programs of spawn and sync and of async and
// finish, the cheapest there is.
//
// Paper: Feng and Leiserson, Efficient detection of determinacy races in Cilk programs
// (SPAA 1997); for async and finish Raman, Zhao, Sarkar, Vechev and Yahav, Efficient
// data race detection for async-finish parallelism (RV 2010). Class: spawn and sync,
// async and finish, but no async into a finish around a task that is joined
// otherwise. Order: depth-first; queries about the
// strand that runs. Every task is in a bag: an S bag precedes what runs, a P bag is
// parallel to it. Costs: spawn, end and query O(α), a sync of n tasks O(n α); 4 bytes
// a task, nothing for a strand.
//
// Departure: the papers pour the bag of a task that returns into the one P bag of its
// parent or its finish. Here it stays a P bag of its own until the sync, which is told whom
// it joins anyway: as many unions, and no record of parents, finishes and their P bags.
package spbags

import (
	"github.com/detrace/detrace/internal/disjoint"
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand precedes the one that runs. One goroutine at a time.
// The zero value must be initialised.
type Engine struct {
	bags            disjoint.Bags
	finishes        disjoint.Finishes
	tasks, maxTasks uint32
}

// Init makes room for tasks 1 to maxTasks. The root task runs. Strands need no room.
func (e *Engine) Init(maxTasks, _ uint32) {
	invariants.Assert(maxTasks > 0, "spbags: no room for the root task")
	e.maxTasks = maxTasks
	e.bags.Init(maxTasks + 1)
	e.finishes.Init(maxTasks)
	e.start(reach.Root.Task())
}

func (e *Engine) start(t reach.Task) {
	e.bags.Start(uint32(t))
	e.tasks++
}

// Traits says that the order is depth-first and the second strand the current one.
func (e *Engine) Traits() reach.Traits {
	return reach.Traits{Name: "spbags", Order: reach.DepthFirst}
}

// Do takes spawn, sync, async, finish and end, and refuses everything else. Cost: O(α) for each task
// started, ended or joined.
func (e *Engine) Do(c *reach.Construct) reach.Refusal {
	switch c.Kind {
	case reach.Spawn, reach.Async:
		if uint32(c.Other) > e.maxTasks {
			return reach.Refusal{Why: "there are more tasks than spbags was given room for"}
		}
		if c.Kind == reach.Async && !e.finishes.Async(uint32(c.Other), uint32(c.Task), c.Finish) {
			return reach.Refusal{Why: "spbags takes an async only of the finish's owner or of another async of it, not of a task between them: jointree takes it", Other: c.Task}
		}
		e.start(c.Other)
	case reach.End:
		e.bags.Return(uint32(c.Task))
	case reach.Finish:
		if !e.finishes.Open(c.Finish, uint32(c.Task)) {
			return reach.Refusal{Why: "there are more finishes than spbags was given room for"}
		}
	case reach.Sync, reach.EndFinish:
		for i := range c.Joined {
			e.bags.Join(uint32(c.Task), uint32(c.Joined[i].Task))
		}
	default:
		return refuse(c)
	}
	return reach.Refusal{}
}

func refuse(c *reach.Construct) reach.Refusal {
	switch c.Kind {
	case reach.Create, reach.Get:
		return reach.Refusal{Why: "spbags takes spawn, sync, async and finish, no futures: multibags takes structured ones, multibagsplus all", Other: c.Other}
	case reach.Fork, reach.Join:
		return reach.Refusal{Why: "spbags takes spawn, sync, async and finish, no forks and joins on a line: lattice takes them", Other: c.Other}
	}
	return reach.Refusal{Why: "spbags takes spawn, sync, async and finish, no promises: drdp takes them", Other: c.Other}
}

// Precedes reports whether u precedes v or is it; v is the strand that runs. Cost:
// O(α).
func (e *Engine) Precedes(u, _ reach.Strand) bool { return e.bags.Serial(uint32(u.Task())) }

// Bytes is the memory in use.
func (e *Engine) Bytes() uint64 { return disjoint.Bytes(e.tasks) }
