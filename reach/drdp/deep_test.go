package drdp_test

import (
	"strings"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/drdp"
)

// program runs constructs through an engine.
type program struct {
	testing.TB
	construct.Run
	engine drdp.Engine
}

func start(t testing.TB, tasks uint32) *program {
	p := &program{TB: t}
	p.Init(tasks)
	p.engine.Init(tasks, 4*tasks)
	t.Cleanup(func() { p.Close(); p.engine.Close() })
	return p
}

func (p *program) do(kind reach.Kind, t reach.Task, arg uint32) {
	c, refusal := p.Do(kind, t, arg)
	if c != nil && !refusal.Refused() {
		refusal = p.engine.Do(c)
	}
	if refusal.Refused() {
		p.Fatalf("%v of task %d: %s", kind, t, refusal.Why)
	}
}

// fork starts a task and returns it.
func (p *program) fork(kind reach.Kind, t reach.Task) reach.Task {
	p.do(kind, t, 0)
	return reach.Task(p.Tasks())
}

func (p *program) precedes(u reach.Strand, t reach.Task) bool {
	return p.engine.Precedes(u, p.Current(t))
}

const million = 1_000_000

// A million tasks one inside the other, under one finish, and under as many syncs.
func TestDeepNest(t *testing.T) {
	for _, kind := range []reach.Kind{reach.Async, reach.Spawn} {
		p := start(t, million)
		p.do(reach.Finish, 1, 0)
		for task := reach.Task(1); task < million; task++ {
			p.fork(kind, task)
		}
		deepest := p.Current(million)
		if !p.precedes(reach.Root, million) || p.precedes(deepest, million/2) {
			t.Error("wrong in the middle of the nest")
		}
		for task := reach.Task(million); task > 1; task-- {
			p.do(reach.Sync, task, 0)
			p.do(reach.End, task, 0)
			if p.precedes(deepest, task-1) {
				t.Fatalf("the deepest task is joined to task %d too early", task-1)
			}
		}
		p.do(reach.Sync, 1, 0)
		p.do(reach.EndFinish, 1, 0)
		if !p.precedes(deepest, 1) {
			t.Error("the deepest task is not joined to the root")
		}
	}
}

// A million tasks one beside the other, each of which sets a promise that the root
// awaits, and that a last task learns of.
func TestWideAwaits(t *testing.T) {
	p := start(t, million)
	for task := reach.Task(2); task < million; task++ {
		p.fork(reach.Async, 1)
		p.do(reach.Set, task, p.NewPromise())
		p.do(reach.End, task, 0)
		p.do(reach.Await, 1, uint32(task)-1)
	}
	last := p.fork(reach.Async, 1)
	for task := reach.Task(2); task < million; task++ {
		s := p.Current(task) // after its set
		if p.precedes(s, last) {
			t.Fatalf("task %d precedes the last one after its set", task)
		}
		if !p.precedes(reach.StrandOf(task, s.Index()-2), last) {
			t.Fatalf("task %d does not precede the last one before its set", task)
		}
	}
}

// simulate is a tree of tasks, each of which awaits the promises that those below it set
// last. visit is called in each task, with its place in the tree, when it has.
func (p *program) simulate(t reach.Task, levels, place int, visit func(place int, t reach.Task)) {
	const below = 5
	var done []uint32
	for i := range below {
		if levels == 1 {
			break
		}
		child := p.fork(reach.Async, t)
		p.simulate(child, levels-1, place*below+i+1, visit)
		done = append(done, p.NewPromise())
		p.do(reach.Set, child, done[i])
		p.do(reach.End, child, 0)
	}
	for _, promise := range done {
		p.do(reach.Await, t, promise)
	}
	visit(place, t)
}

// The same tree day after day: each task comes after that of its place on the day before
// and before that above it, and no search is needed to tell.
func TestDays(t *testing.T) {
	const below, levels, days = 5, 4, 4
	p := start(t, 10_000)
	before, now := map[int]reach.Strand{}, map[int]reach.Strand{}
	p.do(reach.Finish, 1, 0)
	for day := range days {
		p.simulate(1, levels, 0, func(place int, task reach.Task) {
			now[place] = p.Current(task)
			for i := range below {
				if u := now[place*below+i+1]; u != 0 && (!p.precedes(u, task) || day > 0 && !p.precedes(before[place*below+i+1], task)) {
					t.Fatalf("day %d: what is below place %d does not precede it", day, place)
				}
			}
			if day > 0 && !p.precedes(before[place], task) {
				t.Fatalf("day %d: place %d does not come after the day before", day, place)
			}
		})
		before, now = now, map[int]reach.Strand{}
	}
	p.do(reach.EndFinish, 1, 0)
	if n := p.engine.Searched(); n != 0 {
		t.Errorf("%d joins were searched", n)
	}
}

// A million tasks, each blocked for the promise of the next, woken at once from the last.
func TestLongChain(t *testing.T) {
	const n = million / 2
	p := start(t, n)
	p.NewPromise()
	first := p.fork(reach.Async, 1)
	firstStrand := p.Current(first)
	for task := first; task < n; task = p.fork(reach.Async, 1) {
		p.do(reach.Block, task, p.NewPromise()-1)
	}
	p.do(reach.End, n, 0)
	p.do(reach.Set, 1, 1)
	for task := first; task < n; task++ { // each wakes the next, on top of it
		p.do(reach.Await, task, uint32(task)-1)
		p.do(reach.Set, task, uint32(task))
	}
	top := reach.Task(n - 1)
	if !p.precedes(firstStrand, top) || !p.precedes(reach.Root, top) || p.precedes(p.Current(n), top) {
		t.Error("wrong at the end of the chain")
	}
	for task := top; task >= first; task-- {
		p.do(reach.End, task, 0)
	}
	if p.precedes(firstStrand, 1) {
		t.Error("nobody joins the chain")
	}
}

// What there is no room for is refused, and what has run can still be asked about.
func TestFull(t *testing.T) {
	for _, c := range []struct {
		name           string
		tasks, strands uint32
		kind           reach.Kind
	}{{"tasks", 2, 100, reach.Async}, {"strands", 100, 3, reach.Finish}, {"promises", 2, 100, reach.Set}} {
		p := &program{TB: t}
		p.Init(100)
		p.engine.Init(c.tasks, c.strands)
		child := p.fork(reach.Async, 1)
		u := p.Current(child)
		p.do(reach.End, child, 0)
		refusal := reach.Refusal{}
		for range 5 {
			v := p.Current(1)
			arg := uint32(0)
			if c.kind == reach.Set {
				arg = p.NewPromise()
			}
			con, _ := p.Do(c.kind, 1, arg)
			if refusal = p.engine.Do(con); refusal.Refused() {
				if p.engine.Precedes(u, v) || !p.engine.Precedes(reach.Root, v) {
					t.Errorf("%s: the refusal changed an answer", c.name)
				}
				break
			}
			if c.kind == reach.Async {
				p.do(reach.End, con.Other, 0)
			}
		}
		if !strings.Contains(refusal.Why, "room for so many "+c.name) {
			t.Errorf("%s: %q", c.name, refusal.Why)
		}
		p.Close()
		p.engine.Close()
	}
}
