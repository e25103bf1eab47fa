package structtest

import (
	"math/rand/v2"
	"slices"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
)

// Class is a class of programs. Each has a generator.
type Class struct {
	Name  string
	kinds []reach.Kind // what random tasks do, more often what stands here more often
	// structured: a future is got once, by who follows the create's continuation.
	structured bool
}

// The classes that the literature names, and programs of everything.
var (
	SpawnSync   = Class{Name: "spawn/sync", kinds: []reach.Kind{reach.Spawn, reach.Spawn, reach.Sync}}
	AsyncFinish = Class{Name: "async/finish", kinds: []reach.Kind{reach.Async, reach.Async, reach.Finish, reach.EndFinish}}
	Joined      = Class{Name: "spawn/sync and async/finish", kinds: []reach.Kind{
		reach.Spawn, reach.Spawn, reach.Sync, reach.Async, reach.Async, reach.Finish, reach.EndFinish}}
	JoinedFutures = Class{Name: "spawn/sync, async/finish and structured futures", structured: true, kinds: []reach.Kind{
		reach.Spawn, reach.Sync, reach.Async, reach.Finish, reach.EndFinish, reach.Create, reach.Create, reach.Get, reach.Get}}
	StructuredFutures = Class{Name: "structured futures", structured: true, kinds: []reach.Kind{
		reach.Spawn, reach.Sync, reach.Create, reach.Create, reach.Get, reach.Get}}
	GeneralFutures = Class{Name: "general futures", kinds: []reach.Kind{
		reach.Spawn, reach.Sync, reach.Create, reach.Create, reach.Get, reach.Get}}
	Promises = Class{Name: "promises with async/finish", kinds: []reach.Kind{
		reach.Async, reach.Async, reach.Finish, reach.EndFinish, reach.Set, reach.Set, reach.Await, reach.Await, reach.Await}}
	Lattice    = Class{Name: "lattice", kinds: []reach.Kind{reach.Fork, reach.Fork, reach.Join}}
	Everything = Class{Name: "everything", kinds: []reach.Kind{
		reach.Spawn, reach.Sync, reach.Async, reach.Finish, reach.EndFinish, reach.Create, reach.Get, reach.Get,
		reach.Set, reach.Await, reach.Await, reach.Fork, reach.Join}}
)

// FromSeed returns the random program of a seed: of at most about events events and
// mostly fewer, in the given order.
func FromSeed(seed uint64, events int, class Class, order reach.Order) Program {
	r := rand.New(rand.NewPCG(seed, 1))
	g := newGenerator(r, class, order, events)
	defer g.Close()
	length := 4 + r.IntN(1+r.IntN(max(events, 1)))
	for len(g.out) < length && g.step() {
	}
	if r.IntN(4) > 0 {
		g.closing = true
		for len(g.out) < 4*length+8 && g.step() {
		}
	}
	return g.out
}

// generator runs the program that it invents.
type generator struct {
	*rand.Rand
	*event.Binder
	class   Class
	order   reach.Order
	oracle  *dag.Structured
	out     Program
	closing bool // nothing new begins

	stack    []uint32          // running tasks; AnyOrder: all that run
	forced   map[uint32]action // what a task that waits will do next
	waiting  []uint32          // blocked tasks, first to have blocked first
	tasks    uint32
	promises []uint32
	futures  []*future
	endBias  int // the higher, the longer tasks run
	joinBias int // the higher, the fewer forks
}

type action struct {
	kind reach.Kind
	arg  uint32
}

type future struct {
	task    uint32
	follows dag.Strand
	got     bool
}

func newGenerator(r *rand.Rand, class Class, order reach.Order, events int) *generator {
	return &generator{
		Rand: r, class: class, order: order,
		Binder: event.NewBinder(uint32(8*events) + 64),
		oracle: dag.NewStructured(),
		stack:  []uint32{0}, forced: make(map[uint32]action),
		endBias: 1 + r.IntN(6), joinBias: r.IntN(2),
	}
}

// step lets a task do something; false when none can.
func (g *generator) step() bool {
	for tries := 0; len(g.stack) > 0 && tries < 50; tries++ {
		i := len(g.stack) - 1
		if g.order == reach.AnyOrder {
			i = g.IntN(len(g.stack))
		}
		t := g.stack[i]
		a, forced := g.forced[t]
		delete(g.forced, t)
		if !forced {
			a = g.choose(t)
		}
		if g.act(t, a) {
			return true
		}
	}
	return false
}

func (g *generator) choose(t uint32) action {
	task := g.Task(t)
	_, finishing := g.Run.Finishing(task)
	if g.closing {
		for _, p := range g.promises {
			if _, set := g.Run.IsSet(g.Promise(p)); !set {
				return action{reach.Set, p}
			}
		}
	}
	if g.closing || t != 0 && g.IntN(3+2*g.endBias) == 0 {
		switch {
		case finishing:
			return action{kind: reach.EndFinish}
		case g.Run.Unsynced(task):
			return action{kind: reach.Sync}
		}
		return action{kind: reach.End}
	}
	kind := g.class.kinds[g.IntN(len(g.class.kinds))]
	for range g.joinBias {
		if kind.Forks() {
			kind = g.class.kinds[g.IntN(len(g.class.kinds))]
		}
	}
	return action{kind: kind, arg: g.argument(kind, t)}
}

// argument is a future or promise for a construct that needs one, a new promise now
// and then.
func (g *generator) argument(kind reach.Kind, t uint32) uint32 {
	switch kind {
	case reach.Get:
		for range g.futures {
			if f := g.futures[g.IntN(len(g.futures))]; g.mayGet(t, f) {
				return f.task
			}
		}
	case reach.Set, reach.Await:
		if len(g.promises) == 0 || g.IntN(3) == 0 {
			p := uint32(len(g.promises))
			g.promises = append(g.promises, p)
			g.emit(event.Event{Kind: event.Promise, Arg: p})
		}
		return g.promises[g.IntN(len(g.promises))]
	}
	return 0
}

// emit appends e, which must be possible.
func (g *generator) emit(e event.Event) {
	e.Line = len(g.out) + 1
	if e.Kind == event.Promise { // whoever runs makes it
		e.Task = g.stack[len(g.stack)-1]
	}
	if err := g.Control(e, func(c *reach.Construct) reach.Refusal { g.oracle.Do(c); return reach.Refusal{} }); err != nil {
		panic(err)
	}
	g.out = append(g.out, e)
}

// act makes t do a, or wait for it to be possible; false if it does neither.
func (g *generator) act(t uint32, a action) bool {
	task := g.Task(t)
	switch a.kind {
	case reach.Spawn, reach.Async, reach.Create, reach.Fork:
		g.fork(t, a.kind)
		return true
	case reach.Sync:
		if !g.Run.Unsynced(task) {
			return false
		}
		if g.Run.Owing(task) > 0 {
			return g.wait(t, a)
		}
	case reach.EndFinish:
		running, ok := g.Run.Finishing(task)
		if !ok {
			return false
		}
		if running > 0 {
			return g.wait(t, a)
		}
	case reach.Get:
		f := g.future(a.arg)
		if f == nil || !g.mayGet(t, f) {
			return false
		}
		if !g.Run.Ended(g.Task(f.task)) {
			return g.wait(t, a)
		}
		f.got = true
	case reach.Set:
		if _, set := g.Run.IsSet(g.Promise(a.arg)); set {
			return false
		}
	case reach.Await:
		if _, set := g.Run.IsSet(g.Promise(a.arg)); !set {
			return g.block(t, a)
		}
	case reach.Join:
		left := g.Run.Left(task)
		if left == 0 || !g.Run.Ended(left) {
			return false
		}
		a.arg = g.Name(left)
	case reach.End:
		return g.end(t)
	}
	g.emit(event.Event{Kind: event.Of(a.kind), Task: t, Arg: a.arg})
	if a.kind == reach.Set {
		g.wake(func(b action) bool { return b.kind == reach.Await && b.arg == a.arg })
	}
	return true
}

func (g *generator) fork(t uint32, kind reach.Kind) {
	g.tasks++
	child := g.tasks
	g.emit(event.Event{Kind: event.Of(kind), Task: t, Arg: child})
	if kind == reach.Create {
		g.futures = append(g.futures, &future{task: child, follows: dag.Strand(g.Run.Current(g.Task(t)).Index())})
	}
	g.stack = append(g.stack, child)
}

func (g *generator) future(task uint32) *future {
	for _, f := range g.futures {
		if f.task == task {
			return f
		}
	}
	return nil
}

func (g *generator) mayGet(t uint32, f *future) bool {
	if !g.class.structured {
		return t != f.task
	}
	now := dag.Strand(g.Run.Current(g.Task(t)).Index())
	return !f.got && (now == f.follows || g.oracle.Precedes(f.follows, now))
}

// wait takes t off the stack until what a waits for has happened.
func (g *generator) wait(t uint32, a action) bool {
	if g.order != reach.Stacked || len(g.stack) == 1 {
		return false
	}
	g.forced[t] = a
	g.waiting = append(g.waiting, t)
	g.stack = g.stack[:len(g.stack)-1]
	return true
}

func (g *generator) block(t uint32, a action) bool {
	if g.order == reach.DepthFirst || g.order == reach.AnyOrder && g.IntN(8) > 0 {
		return false
	}
	if g.order == reach.Stacked && !g.wait(t, a) {
		return false
	}
	g.emit(event.Event{Kind: event.Of(reach.Block), Task: t, Arg: a.arg})
	return true
}

// wake pushes who waits for something that has just happened.
func (g *generator) wake(happened func(action) bool) {
	for i := len(g.waiting) - 1; i >= 0; i-- {
		if t := g.waiting[i]; happened(g.forced[t]) {
			g.waiting = slices.Delete(g.waiting, i, i+1)
			g.stack = append(g.stack, t)
		}
	}
}

func (g *generator) end(t uint32) bool {
	task := g.Task(t)
	if _, finishing := g.Run.Finishing(task); finishing || t == 0 && !g.closing {
		return false
	}
	if g.Run.Owing(task) > 0 { // a sync that must come first waits
		return g.wait(t, action{kind: reach.Sync})
	}
	g.emit(event.Event{Kind: event.Of(reach.End), Task: t})
	g.stack = slices.DeleteFunc(g.stack, func(u uint32) bool { return u == t })
	for i := len(g.waiting) - 1; i >= 0; i-- {
		w := g.waiting[i]
		a, running := g.forced[w], uint32(1)
		switch a.kind {
		case reach.Sync:
			running = g.Run.Owing(g.Task(w))
		case reach.EndFinish:
			running, _ = g.Run.Finishing(g.Task(w))
		case reach.Get:
			if a.arg == t {
				running = 0
			}
		}
		if running == 0 {
			g.waiting = slices.Delete(g.waiting, i, i+1)
			g.stack = append(g.stack, w)
		}
	}
	return true
}
