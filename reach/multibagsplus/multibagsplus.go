// Package multibagsplus is the engine MultiBags+ for programs of spawn and sync, finishes
// used like them, and any use of futures that never waits in depth-first order.
//
// Paper: Utterback, Agrawal, Fineman and Lee, Efficient race detection with futures
// (PPoPP 2019), section 5. Class: spawn and sync; futures got any number of times by
// anybody; a finish whose asyncs its owner starts, where the joins of a task nest. Order: depth-first; queries about the strand that runs. Three structures:
// DSP, the bags of tasks of MultiBags, in which nothing happens at a get; DNSP,
// disjoint sets of strands, attached and not; and R, the transitive closure of the
// attached sets, of which there are O(k) for k creates and gets (closure.go).
//
// Costs: spawn and end O(α); a query O(α) and, where the bags do not answer it, one bit
// of R, O(log k) loads; a sync of n tasks O(n α). A create, a get, and a join whose
// two sides are both attached O(k) bit operations, most of which are saved where rows
// share blocks (rows.go). 16 bytes a task, 12 a strand, and an attached set 16 and a
// row: some hundreds of bytes, k/8 at worst.
//
// Departures: a fork that is attached at its sync comes into R after its successors,
// which are exactly the sets attached since it ran. So it keeps the number of the
// first one and their rows stay as they are, see closure.go. A get need not attach the
// end of the future: the last strand of a future is attached already, because the first
// is and every union keeps it. Strands between the nested joins of one sync run
// nothing and are in no set unless they found it. Finishes are not in the paper: one whose
// asyncs all are its owner's is a sync block inside another.
package multibagsplus

import (
	"github.com/detrace/detrace/internal/disjoint"
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Engine answers which strand precedes the one that runs. One goroutine at a time.
// The zero value must be initialised.
type Engine struct {
	dsp     disjoint.Bags
	dnsp    disjoint.Sets          // of strands by number, labelled: attached
	proxies offheap.Table[proxies] // by root in dnsp
	r       closure
	nest    disjoint.Nest
	owners  offheap.Table[uint32] // by finish
	// By spawned task: how many attached sets there were at the fork.
	attachedAtFork offheap.Table[uint32]

	tasks, maxTasks, strands, maxStrands uint32
}

// proxies are the attached sets that stand for a set of strands in R; for an attached
// set it is itself, twice.
type proxies struct {
	pred uint32
	succ uint32 // 0 while no join that follows the set is attached
}

// Init makes room for tasks 1 to maxTasks and strand numbers up to maxStrands. The root
// task runs in strand reach.Root.
func (e *Engine) Init(maxTasks, maxStrands uint32) { e.init(maxTasks, maxStrands, maxBlocks) }

func (e *Engine) init(maxTasks, maxStrands, blocks uint32) {
	invariants.Assert(maxTasks > 0 && maxStrands > 0, "multibagsplus: no room for the root task")
	e.maxTasks, e.maxStrands = maxTasks, maxStrands
	e.dsp.Init(maxTasks + 1)
	e.attachedAtFork.Init(maxTasks + 1)
	e.nest.Init(maxTasks)
	e.owners.Init(maxTasks + 1)
	e.dnsp.Init(maxStrands + 1)
	e.proxies.Init(maxStrands + 1)
	e.r.init(maxStrands, blocks)
	e.start(reach.Root.Task())
	e.add(reach.Root, e.r.add(row{}))
}

func (e *Engine) start(t reach.Task) {
	e.dsp.Start(uint32(t))
	e.tasks++
}

// Traits says that the order is depth-first and the second strand the current one.
func (e *Engine) Traits() reach.Traits {
	return reach.Traits{Name: "multibagsplus", Order: reach.DepthFirst}
}

// Do takes the constructs of its class and refuses everything else. For costs see the
// package.
func (e *Engine) Do(c *reach.Construct) reach.Refusal {
	if r := e.outside(c); r.Refused() {
		return r
	}
	if uint32(c.Other) > e.maxTasks || c.After.Index() > e.maxStrands {
		return reach.Refusal{Why: "there are more tasks or strands than multibagsplus was given room for"}
	}
	fits := true
	switch c.Kind {
	case reach.Spawn, reach.Async:
		e.spawn(c)
	case reach.Finish:
		*e.owners.At(c.Finish) = uint32(c.Task)
		e.goOn(c)
	case reach.Create:
		fits = e.create(c)
	case reach.EndFinish, reach.Sync:
		if len(c.Joined) == 0 {
			e.goOn(c)
		} else {
			fits = e.sync(c)
		}
	case reach.Get:
		fits = e.get(c)
	case reach.End:
		e.dsp.Return(uint32(c.Task))
	}
	if !fits {
		return reach.Refusal{Why: "multibagsplus has no room for another attached set: its table of the closure, quadratic in creates and gets at worst, is full"}
	}
	e.strands = max(e.strands, c.After.Index())
	return reach.Refusal{}
}

// outside says why c is outside the class, if it is.
func (e *Engine) outside(c *reach.Construct) reach.Refusal {
	switch c.Kind {
	case reach.Spawn, reach.Create, reach.Get, reach.End:
		return reach.Refusal{}
	case reach.Finish:
		if c.Finish >= e.owners.Max() {
			return reach.Refusal{Why: "there are more finishes than multibagsplus was given room for"}
		}
		return reach.Refusal{}
	case reach.Async:
		if c.Finish == 0 || *e.owners.At(c.Finish) != uint32(c.Task) {
			return reach.Refusal{Why: "multibagsplus takes an async only of the finish's owner: drdp takes others", Other: c.Task}
		}
		return reach.Refusal{}
	case reach.Sync, reach.EndFinish:
		child := e.nest.Newest(uint32(c.Task))
		for i := range c.Joined {
			if child != uint32(c.Joined[i].Task) {
				return reach.Refusal{Why: "multibagsplus takes joins that nest, and this task was forked later than one that is joined: jointree takes it", Other: reach.Task(child)}
			}
			child = e.nest.Older(child)
		}
		return reach.Refusal{}
	case reach.Fork, reach.Join:
		return reach.Refusal{Why: "multibagsplus takes spawn, sync and futures, no forks and joins on a line: lattice takes them", Other: c.Other}
	}
	return reach.Refusal{Why: "multibagsplus takes spawn, sync and futures, no promises: drdp takes them", Other: c.Other}
}

// of is what stands for the set of s.
func (e *Engine) of(s reach.Strand) *proxies { return e.proxies.At(e.dnsp.Find(s.Index())) }

// attached is the set of s in R, 0 if that is unattached.
func (e *Engine) attached(s reach.Strand) uint32 {
	root := e.dnsp.Find(s.Index())
	if !e.dnsp.Label(root) {
		return 0
	}
	return e.proxies.At(root).pred
}

// add makes an attached set of s, a in R.
func (e *Engine) add(s reach.Strand, a uint32) {
	e.dnsp.Add(s.Index(), true)
	*e.proxies.At(s.Index()) = proxies{a, a}
}

// addUnattached makes an unattached set of s.
func (e *Engine) addUnattached(s reach.Strand, pred uint32) {
	e.dnsp.Add(s.Index(), false)
	*e.proxies.At(s.Index()) = proxies{pred: pred}
}

// attach makes the unattached set of s attached, a in R.
func (e *Engine) attach(s reach.Strand, a uint32) {
	root := e.dnsp.Find(s.Index())
	e.dnsp.SetLabel(root, true)
	*e.proxies.At(root) = proxies{a, a}
}

// unite adds the set of root from to that of root into, and returns the root.
func (e *Engine) unite(into, from uint32) uint32 {
	p := *e.proxies.At(into)
	root := e.dnsp.Union(into, from)
	*e.proxies.At(root) = p
	return root
}

func (e *Engine) spawn(c *reach.Construct) {
	pred := e.of(c.Before).pred
	e.addUnattached(c.First, pred)
	e.addUnattached(c.After, pred)
	*e.attachedAtFork.At(uint32(c.Other)) = e.r.count
	e.nest.Fork(uint32(c.Task), uint32(c.Other))
	e.start(c.Other)
}

// goOn adds the strand after c to the set of the one before: nothing is between them.
func (e *Engine) goOn(c *reach.Construct) {
	e.dnsp.Insert(c.After.Index(), e.dnsp.Find(c.Before.Index()))
}

// attachify returns the set of s in R, where it is new if the set was unattached. The
// change is complete with attach, if R is not full.
func (e *Engine) attachify(s reach.Strand) (a uint32, fresh bool) {
	if a := e.attached(s); a != 0 {
		return a, false
	}
	return e.r.add(e.r.after(e.of(s).pred, 0)), true
}

func (e *Engine) create(c *reach.Construct) (fits bool) {
	before, fresh := e.attachify(c.Before)
	both := e.r.after(before, 0)
	first, after := e.r.add(both), e.r.add(both)
	if e.r.full() {
		return false
	}
	if fresh {
		e.attach(c.Before, before)
	}
	e.add(c.First, first)
	e.add(c.After, after)
	e.start(c.Other)
	return true
}

func (e *Engine) get(c *reach.Construct) (fits bool) {
	source := e.attached(c.Source)
	invariants.Assert(source != 0, "multibagsplus: the last strand of a future is unattached")
	before, fresh := e.attachify(c.Before)
	after := e.r.add(e.r.after(before, source))
	if e.r.full() {
		return false
	}
	if fresh {
		e.attach(c.Before, before)
	}
	e.add(c.After, after)
	return true
}

// Precedes reports whether u precedes v or is it; v is the strand that runs. Cost: O(α)
// and a few loads.
func (e *Engine) Precedes(u, v reach.Strand) bool {
	if e.dsp.Serial(uint32(u.Task())) {
		return true
	}
	a := e.of(u).succ
	return a != 0 && e.r.reaches(a, e.of(v).pred)
}

// Bytes is the memory in use.
func (e *Engine) Bytes() uint64 {
	const proxiesBytes, forkBytes = 8, 12
	return disjoint.Bytes(e.tasks) + forkBytes*uint64(e.tasks) +
		disjoint.Bytes(e.strands) + proxiesBytes*uint64(e.strands) + e.r.bytes()
}
