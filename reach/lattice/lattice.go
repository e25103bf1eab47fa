// Package lattice is the engine of programs whose dag is a two-dimensional lattice:
// structured fork-join on a line of tasks, and with it linear pipelines.
//
// Paper: Dimitrov, Vechev and Sarkar, Race detection in two dimensions (SPAA 2015).
// Class: Fork, Join and End. Order: depth-first, which the caller sees to; queries
// about the strand that runs. Tasks are in disjoint sets, one for each task on the
// line: it and what it has joined. A set is visited while its task runs or waits
// for a child, and no longer when it has halted. What is in a visited set precedes
// what runs; what is in another is parallel to it, until a join adds that set to a
// visited one. So these are the bags of SP-Bags, and only who may join whom differs.
// Costs: fork, join, end and query O(α); 4 bytes a task, nothing for a strand.
//
// Departures from the paper:
//   - Sup of a set that is not visited is the task asked about instead of the
//     set's label. Whoever keeps a supremum only asks about its set, which has both.
//   - The line itself is package construct's, which lets only neighbours join.
package lattice

import (
	"github.com/detrace/detrace/internal/disjoint"
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand precedes the one that runs, and finds suprema. One
// goroutine at a time. The zero value must be initialised.
type Engine struct {
	sets            disjoint.Bags // S bags: visited
	tasks, maxTasks uint32
}

// Init makes room for tasks 1 to maxTasks. The root task runs. Strands need no room.
func (e *Engine) Init(maxTasks, _ uint32) {
	invariants.Assert(maxTasks > 0, "lattice: no room for the root task")
	e.maxTasks, e.tasks = maxTasks, 1
	e.sets.Init(maxTasks + 1)
	e.sets.Start(uint32(reach.Root.Task()))
}

// Traits says that the order is depth-first and the second strand the current one.
func (e *Engine) Traits() reach.Traits {
	return reach.Traits{Name: "lattice", Order: reach.DepthFirst}
}

// Do takes forks and joins on the line and ends, and refuses everything else.
// Cost: O(α).
func (e *Engine) Do(c *reach.Construct) reach.Refusal {
	switch c.Kind {
	case reach.Fork:
		if uint32(c.Other) > e.maxTasks {
			return reach.Refusal{Why: "there are more tasks than lattice was given room for"}
		}
		e.sets.Start(uint32(c.Other))
		e.tasks = uint32(c.Other)
	case reach.Join:
		e.sets.Join(uint32(c.Task), uint32(c.Other))
	case reach.End:
		e.sets.Return(uint32(c.Task))
	default:
		return refuse(c)
	}
	return reach.Refusal{}
}

func refuse(c *reach.Construct) reach.Refusal {
	switch c.Kind {
	case reach.Spawn, reach.Sync:
		return reach.Refusal{Why: "lattice takes forks and joins on a line, no spawn and sync: spbags takes them", Other: c.Other}
	case reach.Create, reach.Get:
		return reach.Refusal{Why: "lattice takes forks and joins on a line, no futures: multibags takes structured ones, multibagsplus all", Other: c.Other}
	}
	return reach.Refusal{Why: "lattice takes forks and joins on a line, no async, finish or promises: drdp takes them", Other: c.Other}
}

// Sup is the relaxed supremum of k and the task t that runs (theorem 4): it is t iff all
// that k stands for precedes t's current strand. k is a task that has run, and
// stands for what it has run so far, or an earlier result of Sup, which stands for
// what both of its arguments did. Cost: O(α).
func (e *Engine) Sup(k, t reach.Task) reach.Task {
	if e.sets.Serial(uint32(k)) {
		return t
	}
	return k
}

// Precedes reports whether u precedes v or is it; v is the strand that runs. Cost:
// O(α).
func (e *Engine) Precedes(u, v reach.Strand) bool {
	return e.Sup(u.Task(), v.Task()) == v.Task()
}

// Bytes is the memory in use.
func (e *Engine) Bytes() uint64 { return disjoint.Bytes(e.tasks) }
