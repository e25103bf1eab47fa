// Package multibags is the engine MultiBags for programs of spawn and sync, async and
// finish, and structured futures.
//
// Paper: Utterback, Agrawal, Fineman and Lee, Efficient race detection with futures
// (PPoPP 2019), section 4. Class: spawn and sync, async and finish; futures got at most once, by a strand
// that the continuation of the create precedes; no async into a finish around a task
// that is joined otherwise. Order: depth-first; queries about the
// strand that runs. Every task is in a bag, as under SP-Bags; that of a future which
// has returned stays a P bag until the get. Costs: every construct and query O(α), a
// sync of n tasks O(n α); 8 bytes a task, nothing for a strand.
//
// Departures: async and finish are not in the paper; a task that a finish joins is
// in a P bag until then, as a spawned one until the sync. The paper assumes that futures are structured, here a get that breaks it
// is refused. The condition on the get is itself a query: as long as all gets so far
// were legal, its answer is right (Theorem 4.2).
package multibags

import (
	"github.com/detrace/detrace/internal/disjoint"
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand precedes the one that runs. One goroutine at a time.
// The zero value must be initialised.
type Engine struct {
	bags            disjoint.Bags
	finishes        disjoint.Finishes
	creators        offheap.Table[uint32] // by task: who created it; 0 if nobody, got after the get
	tasks, maxTasks uint32
}

const got = ^uint32(0)

// Init makes room for tasks 1 to maxTasks. The root task runs. Strands need no room.
func (e *Engine) Init(maxTasks, _ uint32) {
	invariants.Assert(maxTasks > 0, "multibags: no room for the root task")
	e.maxTasks = maxTasks
	e.bags.Init(maxTasks + 1)
	e.finishes.Init(maxTasks)
	e.creators.Init(maxTasks + 1)
	e.start(reach.Root.Task())
}

func (e *Engine) start(t reach.Task) {
	e.bags.Start(uint32(t))
	e.tasks++
}

// Traits says that the order is depth-first and the second strand the current one.
func (e *Engine) Traits() reach.Traits {
	return reach.Traits{Name: "multibags", Order: reach.DepthFirst}
}

// Do takes spawn, sync, async, finish, create, get and end, and refuses everything else. Cost: O(α)
// for each task started, ended or joined.
func (e *Engine) Do(c *reach.Construct) reach.Refusal {
	switch c.Kind {
	case reach.Spawn, reach.Async, reach.Create:
		if uint32(c.Other) > e.maxTasks {
			return reach.Refusal{Why: "there are more tasks than multibags was given room for"}
		}
		if c.Kind == reach.Async && !e.finishes.Async(uint32(c.Other), uint32(c.Task), c.Finish) {
			return reach.Refusal{Why: "multibags takes an async only of the finish's owner or of another async of it, not of a task between them: jointree takes it", Other: c.Task}
		}
		e.start(c.Other)
		if c.Kind == reach.Create {
			*e.creators.At(uint32(c.Other)) = uint32(c.Task)
		}
	case reach.End:
		e.bags.Return(uint32(c.Task))
	case reach.Finish:
		if !e.finishes.Open(c.Finish, uint32(c.Task)) {
			return reach.Refusal{Why: "there are more finishes than multibags was given room for"}
		}
	case reach.Sync, reach.EndFinish:
		for i := range c.Joined {
			e.bags.Join(uint32(c.Task), uint32(c.Joined[i].Task))
		}
	case reach.Get:
		return e.get(c)
	default:
		return refuse(c)
	}
	return reach.Refusal{}
}

// get joins a future. That what follows the create precedes the get is asked about the
// creator, whose bag tells of all its strands.
func (e *Engine) get(c *reach.Construct) reach.Refusal {
	creator := e.creators.At(uint32(c.Other))
	switch {
	case *creator == got:
		return reach.Refusal{Why: "multibags takes one get for each create, and this future was got before: multibagsplus takes any number", Other: c.Other}
	case !e.bags.Serial(*creator):
		return reach.Refusal{Why: "multibags takes a get only after what follows the create, and that is parallel to this get, so the future's handle races: multibagsplus takes it", Other: c.Other}
	}
	*creator = got
	e.bags.Join(uint32(c.Task), uint32(c.Other))
	return reach.Refusal{}
}

func refuse(c *reach.Construct) reach.Refusal {
	switch c.Kind {
	case reach.Fork, reach.Join:
		return reach.Refusal{Why: "multibags takes spawn, async and futures, no forks and joins on a line: lattice takes them", Other: c.Other}
	}
	return reach.Refusal{Why: "multibags takes spawn, async and structured futures, no promises: drdp takes them", Other: c.Other}
}

// Precedes reports whether u precedes v or is it; v is the strand that runs. Cost:
// O(α).
func (e *Engine) Precedes(u, _ reach.Strand) bool { return e.bags.Serial(uint32(u.Task())) }

// Bytes is the memory in use.
func (e *Engine) Bytes() uint64 { return disjoint.Bytes(e.tasks) + 4*uint64(e.tasks) }
