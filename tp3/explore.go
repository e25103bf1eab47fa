package tp3

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Exploration is what all schedules of a program come to. When it is not
// complete, every count is of what was seen, nothing is certain of the rest,
// and Missing says why; races and deadlocks that were seen are real all the
// same.
type Exploration struct {
	Complete bool
	Missing  string
	// Schedules is the number of different maximal sequences of steps by the
	// small-step rules, all interleavings; a failing statement counts as a
	// step. When counting took too long, it is a lower bound and Exact is
	// false; that does not make the exploration incomplete.
	Schedules *big.Int
	Exact     bool
	// Classes is the number of schedules that were run to their end: one for
	// each class of schedules that differ in the order of independent steps
	// only.
	Classes   int
	Steps     int        // made, given-up runs included, or looked at again: see Limits
	States    []Memory   // distinct final memories, deadlocked ends included
	Graphs    int        // distinct computation graphs of these runs
	Deadlocks []Deadlock // distinct: by memory and by who waits where for what
	Failures  []*Failure // distinct program errors; such a run has no final state
	Races     []Race
}

// errBudget ends an exploration that has used up its steps.
var errBudget = errors.New("budget")

// Explore runs the program under all schedules, up to the order of independent
// steps. The error is ctx's; a budget that runs out is told in the result.
// Cost: O(tasks) per step and, per step that conflicts with an earlier one,
// O(tasks × steps between them).
func (p *Program) Explore(ctx context.Context, limits Limits) (*Exploration, error) {
	limits = limits.withDefaults()
	c := newConfig(p)
	x := &explorer{
		ctx: ctx, limits: limits, c: c, order: newOrder(c), before: []clock{nil},
		ideals: limits.Ideals, states: map[string]bool{}, graphs: map[[sha256.Size]byte]bool{},
		deadlocks: map[string]bool{}, failures: map[Failure]bool{},
		found: Exploration{Complete: true, Schedules: new(big.Int), Exact: true},
	}
	err := x.explore(nil)
	if err != nil && err != errBudget {
		return nil, fmt.Errorf("exploring %s: %w", p.name, err)
	}
	x.found.Graphs = len(x.graphs)
	x.found.Races = x.order.sorted()
	slices.SortFunc(x.found.States, func(a, b Memory) int { return strings.Compare(a.String(), b.String()) })
	slices.SortFunc(x.found.Deadlocks, func(a, b Deadlock) int { return strings.Compare(a.key(), b.key()) })
	slices.SortFunc(x.found.Failures, func(a, b *Failure) int {
		return cmp.Or(a.Pos.compare(b.Pos), strings.Compare(a.What, b.What), compareNames(a.Task, b.Task))
	})
	x.found.Exact = x.found.Exact && x.found.Complete
	return &x.found, nil
}

// event is a step of the current run, with the steps of other tasks that it
// depends on, directly or not.
type event struct {
	step
	before clock
}

// precedes reports whether e is the same as f or f depends on it.
func (e *event) precedes(f *event) bool {
	if e.task == f.task {
		return e.index <= f.index
	}
	return f.before.has(e.task, e.index)
}

// uses is who used a location or promise last: indices of events, -1 for none.
type uses struct {
	write int32   // the last store, or set, failed ones included
	reads []int32 // the last load of each task since; a shared slice
	first int32   // of a promise, the set that fulfilled it
}

// frame is a prefix of the current run: what was and is to be tried there.
type frame struct {
	backtrack []int32 // tasks to try
	sleep     []int32 // tasks whose next step has been tried, and commutes with all since
}

type explorer struct {
	ctx    context.Context
	limits Limits
	c      *config
	order  *order
	events []event
	frames []*frame
	before []clock // per task: steps of others that its next step depends on
	cells  []uses
	sets   []uses // per promise

	ideals    int // that may still be counted
	states    map[string]bool
	graphs    map[[sha256.Size]byte]bool
	deadlocks map[string]bool
	failures  map[Failure]bool
	found     Exploration
}

// explore runs every class of schedules that start with the current prefix,
// except those that start with a sleeping task.
func (x *explorer) explore(sleep []int32) error {
	first, enabled := x.choose(sleep)
	switch {
	case !enabled:
		x.finish()
		return nil
	case first < 0:
		return nil // all that can follow was explored elsewhere
	case len(x.events) == x.limits.RunSteps:
		x.missing("a run did not end within %d steps", x.limits.RunSteps)
		return nil
	}
	f := &frame{backtrack: []int32{first}, sleep: slices.Clone(sleep)}
	x.frames = append(x.frames, f)
	defer func() { x.frames = x.frames[:len(x.frames)-1] }()
	// Deeper levels add to the list while it is worked off.
	for i := 0; i < len(f.backtrack); i++ {
		t := f.backtrack[i]
		if slices.Contains(f.sleep, t) {
			continue
		}
		if err := x.try(t, f); err != nil {
			return err
		}
		f.sleep = append(f.sleep, t)
	}
	return nil
}

// choose picks an enabled task that does not sleep, -1 if there is none: the
// one with the fewest steps, so that a task that spins cannot keep the others
// from running.
func (x *explorer) choose(sleep []int32) (first int32, enabled bool) {
	first = -1
	for t := range int32(len(x.c.tasks)) {
		if !x.c.enabled(t) {
			continue
		}
		enabled = true
		if (first < 0 || x.c.tasks[t].steps < x.c.tasks[first].steps) && !slices.Contains(sleep, t) {
			first = t
		}
	}
	return first, enabled
}

// try explores what follows when task t goes next.
func (x *explorer) try(t int32, f *frame) error {
	if x.found.Steps >= x.limits.Steps {
		x.missing("the budget of %d steps is used up", x.limits.Steps)
		return errBudget
	}
	x.found.Steps++
	if err := x.ctx.Err(); err != nil {
		return err
	}
	conflicts, before := x.dependencies(t)
	for _, i := range conflicts {
		x.reverse(i, t, before)
	}
	var sleep []int32
	for _, q := range f.sleep {
		if x.independent(q, t) {
			sleep = append(sleep, q)
		}
	}

	old := x.before[t]
	st, un := x.c.step(t)
	orderUn := x.order.step(st)
	x.events = append(x.events, event{st, before})
	usesUn := x.follow(st, before)
	err := x.explore(sleep)
	x.unfollow(st, usesUn)
	x.events = x.events[:len(x.events)-1]
	x.order.undo(st, orderUn)
	x.c.undo(st, un)
	x.before[t] = old
	return err
}

// dependencies returns what t's next step depends on: its clock, and the
// earlier events that it conflicts with and that nothing between them orders.
// These two could have happened the other way round. A get is not among them:
// it cannot come before the set.
func (x *explorer) dependencies(t int32) (conflicts []int32, before clock) {
	before = x.before[t]
	object := x.c.object(t)
	if object < 0 {
		return nil, before
	}
	var direct []int32
	switch x.c.prog.code[x.c.tasks[t].pc].op {
	case opLoad, opWhile:
		direct = []int32{x.cells[object].write}
	case opStore:
		direct = append(slices.Clone(x.cells[object].reads), x.cells[object].write)
	case opSet:
		direct = []int32{x.sets[object].write}
	case opGet:
		return nil, x.depend(before, x.sets[object].first)
	}
	for _, i := range direct {
		if i < 0 || x.events[i].task == t {
			continue
		}
		e := &x.events[i]
		ordered := before.has(e.task, e.index) || slices.ContainsFunc(direct, func(j int32) bool {
			return j >= 0 && j != i && e.precedes(&x.events[j])
		})
		if !ordered {
			conflicts = append(conflicts, i)
		}
	}
	for _, i := range conflicts {
		before = x.depend(before, i)
	}
	return conflicts, before
}

// depend adds event i to a clock.
func (x *explorer) depend(c clock, i int32) clock {
	e := &x.events[i]
	return c.join(e.before.with(e.task, e.index+1))
}

// reverse makes sure that a schedule is explored in which task t's next step
// comes before event i. Without i, the events after it that do not depend on
// it can follow its prefix, and t's step then; any task that can be the first
// of these will do.
func (x *explorer) reverse(i, t int32, before clock) {
	initials := x.initials(i, t, before)
	f := x.frames[i]
	for _, q := range initials {
		if slices.Contains(f.backtrack, q) {
			return
		}
	}
	f.backtrack = append(f.backtrack, initials[len(initials)-1])
}

// initials returns the tasks that can be first in the events after i that do
// not depend on it, followed by t's next step. There is at least one.
func (x *explorer) initials(i, t int32, before clock) []int32 {
	next := event{step: step{task: t, index: x.c.tasks[t].steps}, before: before}
	e := &x.events[i]
	var initials []int32
	var heads []*event // first event of each task among those considered
	consider := func(f *event) {
		for _, h := range heads {
			if h.precedes(f) {
				return
			}
		}
		heads = append(heads, f)
		initials = append(initials, f.task)
	}
	x.found.Steps += len(x.events) - int(i)
	for j := int(i) + 1; j < len(x.events); j++ {
		if f := &x.events[j]; !e.precedes(f) {
			consider(f)
		}
	}
	consider(&next)
	return initials
}

// independent reports whether the next steps of two enabled tasks commute. A
// get commutes with a set of its promise: the one that it waited for is made.
func (x *explorer) independent(q, t int32) bool {
	object := x.c.object(q)
	if q == t || object < 0 || object != x.c.object(t) {
		return q != t
	}
	a, b := &x.c.prog.code[x.c.tasks[q].pc], &x.c.prog.code[x.c.tasks[t].pc]
	_, memory := a.access()
	if _, both := b.access(); memory && both {
		return a.op != opStore && b.op != opStore
	}
	return a.op != opSet || b.op != opSet
}

// follow brings the clocks and uses up to a step just made, and returns the
// uses that it replaced.
func (x *explorer) follow(st step, before clock) uses {
	x.before[st.task] = before
	s := &x.c.prog.code[st.pc]
	i := int32(len(x.events) - 1)
	if st.object < 0 {
		return uses{}
	}
	switch s.op {
	case opAsync:
		x.before = append(x.before, before.with(st.task, st.index+1))
	case opAlloc:
		x.cells = append(x.cells, uses{write: -1})
	case opNewPromise:
		x.sets = append(x.sets, uses{write: -1, first: -1})
	case opSet:
		u := &x.sets[st.object]
		old := *u
		u.write = i
		if !st.failed {
			u.first = i
		}
		return old
	case opStore:
		u := &x.cells[st.object]
		old := *u
		u.write, u.reads = i, nil
		return old
	case opLoad, opWhile:
		u := &x.cells[st.object]
		old := *u
		u.reads = slices.DeleteFunc(slices.Clone(u.reads), func(j int32) bool { return x.events[j].task == st.task })
		u.reads = append(u.reads, i)
		return old
	}
	return uses{}
}

func (x *explorer) unfollow(st step, old uses) {
	if st.object < 0 {
		return
	}
	switch x.c.prog.code[st.pc].op {
	case opAsync:
		x.before = x.before[:len(x.before)-1]
	case opAlloc:
		x.cells = x.cells[:len(x.cells)-1]
	case opNewPromise:
		x.sets = x.sets[:len(x.sets)-1]
	case opSet:
		x.sets[st.object] = old
	case opStore, opLoad, opWhile:
		x.cells[st.object] = old
	}
}

func (x *explorer) missing(format string, args ...any) {
	x.found.Complete = false
	x.found.Missing = fmt.Sprintf(format, args...)
}

// finish records the end of a run.
func (x *explorer) finish() {
	x.found.Classes++
	x.found.Steps += len(x.events)
	n, exact := x.countSchedules()
	x.found.Schedules.Add(x.found.Schedules, n)
	x.found.Exact = x.found.Exact && exact
	steps := make([]step, len(x.events))
	for i := range steps {
		steps[i] = x.events[i].step
	}
	x.graphs[newGraph(x.c, steps).sum()] = true
	if failures := x.c.failures(); failures != nil {
		for _, f := range failures {
			if !x.failures[*f] {
				x.failures[*f] = true
				x.found.Failures = append(x.found.Failures, f)
			}
		}
		return
	}
	m := x.c.memory()
	if key := m.String(); !x.states[key] {
		x.states[key] = true
		x.found.States = append(x.found.States, m)
	}
	if blocked := x.c.blocked(); blocked != nil {
		d := Deadlock{m, blocked}
		if key := d.key(); !x.deadlocks[key] {
			x.deadlocks[key] = true
			x.found.Deadlocks = append(x.found.Deadlocks, d)
		}
	}
}
