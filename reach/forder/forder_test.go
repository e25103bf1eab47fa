package forder_test

import (
	"strings"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/forder"
	"github.com/detrace/detrace/reach/structtest"
)

func fresh(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(forder.Engine)
	e.Init(maxTasks, maxStrands)
	return e
}

var classes = []structtest.Class{
	structtest.SpawnSync, structtest.AsyncFinish, structtest.StructuredFutures, structtest.GeneralFutures,
	structtest.Promises, structtest.Lattice, structtest.Everything,
}

func TestConformance(t *testing.T) {
	structtest.Conform(t, 14000, 80, fresh, classes...)
}

// Longer programs have larger pasts.
func TestLongPrograms(t *testing.T) {
	structtest.Conform(t, 14, 500, fresh, classes...)
}

func TestConcurrent(t *testing.T) {
	structtest.Concurrent(t, 60, 400, fresh, structtest.GeneralFutures, structtest.Promises, structtest.Everything)
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestConformance|TestLongPrograms|TestPasts)$", []mutants.Mutant{
		{Name: "a past is not asked within a future", File: "forder.go", Old: "u.future == v.future && e.precedes(u, v) || e.has(past, u)", New: "u.future == v.future && e.precedes(u, v) || u.future != v.future && e.has(past, u)"},
		{Name: "maximal under the whole order", File: "past.go", Old: "return e.at(t).future == k.future && e.precedes(e.placeOf(t), k)", New: "_, past := e.strand(reach.Strand(k.strand))\n\treturn e.at(t).future == k.future && e.follows(past, k, e.placeOf(t))"},
		{Name: "a future does not inherit the past", File: "forder.go", Old: "inherited := e.add(past, e", New: "inherited := e.add(0, e"},
		{Name: "an edge brings the source alone", File: "forder.go", Old: "return e.add(e.union(past, of), source)", New: "_ = of\n\treturn e.add(past, source)"},
		{Name: "an edge brings the past alone", File: "forder.go", Old: "return e.add(e.union(past, of), source)", New: "return e.union(past, of)"},
		{Name: "a sync forgets the tasks' pasts", File: "forder.go", Old: "past = e.union(past, of)\n", New: "e.union(past, of)\n"},
		{Name: "an async that outlives a spawned task is in its SP order", File: "forder.go", Old: "closer == nobody || closer == c.Finish", New: "true"},
		{Name: "a finish ends a block", File: "forder.go", Old: "ends := e.levels.At(at).closer == closer", New: "ends := e.levels.At(at).closer != nobody"},
		{Name: "what a join joins is all under its level", File: "forder.go", Old: "ends && e.under(at, j)", New: "ends"},
		{Name: "a line's task is spawned", File: "forder.go", Old: "\tcase reach.Create, reach.Fork:\n", New: "\tcase reach.Fork:\n\t\te.fork(c, at, past, spawned)\n\tcase reach.Create:\n"},
		{Name: "a published past changes", File: "past.go", Old: "if t > e.mark {", New: "if t > 0 {"},
		{Name: "what follows a new element is dropped", File: "past.go", Old: "return e.concat(e.concat(e.trim(before, k), single), after)", New: "_ = after\n\treturn e.concat(e.trim(before, k), single)"},
		{Name: "too much is forgotten", File: "past.go", Old: "before, after := e.split(t, k)\n\treturn e.concat(e.trim(before, k), after)", New: "_, after := e.split(t, k)\n\treturn after"},
		{Name: "a union drops the root", File: "past.go", Old: "if first := e.first(right); e.at(first).future == k.future && e.within(s, e.placeOf(first)) {", New: "if first := e.first(right); e.at(first).future == k.future {"},
		{Name: "a union keeps the later half of one", File: "past.go", Old: "left, right := e.union(x.left, before), e.union(x.right, after)", New: "left, right := e.union(x.left, before), x.right|after*0"},
		{Name: "memory is taken back that is in use", File: "past.go", Old: "if past <= e.mark && !e.overflow() {", New: "if !e.overflow() {"},
	})
}

// Programs in which something does not nest, and those that show why an antichain is
// one of the SP order.
func TestPrograms(t *testing.T) {
	for _, c := range []struct{ name, program string }{
		{"two strands of a past that are ordered through another future only",
			"create 0 1; spawn 1 2; spawn 1 3; create 2 4; end 4; get 3 4; create 3 5; end 2; end 5; end 3; end 1"},
		{"strands of a future ordered through another", "spawn 0 1; create 1 2; end 2; get 0 2; end 1; sync 0"},
		{"an async outlives the spawned task it is in", "finish 0; spawn 0 1; async 1 2; end 1; sync 0; end 2; endfinish 0"},
		{"an async beside a spawned task outlives the sync", "finish 0; spawn 0 1; async 0 2; end 1; sync 0; end 2; endfinish 0"},
		{"a finish ends before the sync", "finish 0; spawn 0 1; async 0 2; end 2; endfinish 0; end 1; sync 0"},
		{"a sync inside a finish of a task spawned outside", "spawn 0 1; end 1; finish 0; spawn 0 2; end 2; sync 0; async 0 3; end 3; endfinish 0; spawn 0 4; end 4; sync 0"},
		{"an async of a future that its creator's finish joins", "finish 0; create 0 1; async 1 2; end 1; end 2; endfinish 0"},
		{"an async that nobody joins beside a spawned task", "spawn 0 1; async 0 2; end 1; sync 0; end 2"},
		{"a task of a line that a sync passes by", "spawn 0 1; fork 1 2; end 1; sync 0; end 2"},
		{"a promise of its own setter", "promise 0 1; set 0 1; await 0 1; create 0 1; await 1 1; end 1"},
	} {
		if err := structtest.Run(structtest.List(t, c.program), fresh); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// program runs constructs through an engine.
type program struct {
	testing.TB
	engine *forder.Engine
	construct.Run
}

func start(t testing.TB, tasks, strands uint32) *program {
	p := &program{TB: t, engine: fresh(tasks, strands).(*forder.Engine)}
	p.Init(tasks)
	t.Cleanup(func() { p.Close(); p.engine.Close() })
	return p
}

// do is a construct; it returns the task that was started.
func (p *program) do(kind reach.Kind, t reach.Task, arg uint32) reach.Task {
	c, refusal := p.Do(kind, t, arg)
	if refusal.Refused() {
		p.Fatal(refusal.Why)
	}
	if c == nil {
		return 0
	}
	if refusal := p.engine.Do(c); refusal.Refused() {
		p.Fatal(refusal.Why)
	}
	return c.Other
}

// want asks both ways whether u precedes v.
func (p *program) want(u, v reach.Strand, precedes bool) {
	p.Helper()
	if p.engine.Precedes(u, v) != precedes || p.engine.Precedes(v, u) {
		p.Fatalf("strand %d precedes strand %d: want %v, and not the other way", u.Index(), v.Index(), precedes)
	}
}

const million = 1_000_000

// ways are the constructs that start and join a task.
var ways = [][2]reach.Kind{{reach.Spawn, reach.Sync}, {reach.Async, reach.EndFinish}, {reach.Create, reach.Get}}

// A million tasks one inside the other, each with a strand beside its child.
func TestDeep(t *testing.T) {
	for _, way := range ways {
		t.Run(way[0].String(), func(t *testing.T) {
			p := start(t, million+2, 4*million)
			if way[0] == reach.Async {
				p.do(reach.Finish, 1, 0)
			}
			line, beside := []reach.Task{1}, []reach.Strand{0}
			for i := range million {
				line = append(line, p.do(way[0], line[i], 0))
				beside = append(beside, p.Current(line[i]))
			}
			bottom := p.Current(line[million])
			for i := million; i > 0; i-- {
				p.do(reach.End, line[i], 0)
				if i%10007 == 0 {
					p.want(bottom, beside[i], false)
					p.want(reach.Root, bottom, true)
				}
				if way[0] != reach.Async {
					p.do(way[1], line[i-1], uint32(line[i]))
				}
				if i%10007 == 0 && way[0] != reach.Async {
					p.want(bottom, p.Current(line[i-1]), true)
					p.want(beside[i], p.Current(line[i-1]), true)
				}
			}
			if way[0] == reach.Async {
				p.do(reach.EndFinish, 1, 0)
			}
			p.want(bottom, p.Current(1), true)
			p.want(beside[million/2], p.Current(1), true)
			t.Logf("%d MB", p.engine.Bytes()>>20)
		})
	}
}

// A million tasks side by side.
func TestWide(t *testing.T) {
	for _, way := range ways {
		t.Run(way[0].String(), func(t *testing.T) {
			p := start(t, million+2, 4*million)
			if way[0] == reach.Async {
				p.do(reach.Finish, 1, 0)
			}
			var tasks []reach.Task
			for range million {
				tasks = append(tasks, p.do(way[0], 1, 0))
				p.do(reach.End, tasks[len(tasks)-1], 0)
			}
			for i := 1; i < million; i += 1009 {
				p.want(p.Current(tasks[i-1]), p.Current(tasks[i]), false)
				p.want(p.Current(tasks[million-i]), p.Current(1), false)
			}
			if way[1] != reach.Get {
				p.do(way[1], 1, 0)
			}
			for i := range tasks {
				if way[1] == reach.Get {
					p.do(reach.Get, 1, uint32(tasks[i]))
				}
				if i%1009 == 0 {
					p.want(p.Current(tasks[i]), p.Current(1), true)
				}
			}
			t.Logf("%d MB", p.engine.Bytes()>>20)
		})
	}
}

// A hundred thousand promises that as many asyncs set and one awaits: its past is an
// antichain of one future that grows by an element at a time.
func TestManyPromises(t *testing.T) {
	const promises = 100_000
	p := start(t, promises+3, 5*promises)
	p.do(reach.Finish, 1, 0)
	consumer := p.do(reach.Async, 1, 0)
	var sets []reach.Strand
	for range promises {
		producer := p.do(reach.Async, 1, 0)
		sets = append(sets, p.Current(producer))
		p.do(reach.Set, producer, p.NewPromise())
		p.do(reach.End, producer, 0)
	}
	for i := range promises {
		p.do(reach.Await, consumer, uint32(i+1))
		if i%997 == 0 {
			p.want(sets[i], p.Current(consumer), true)
			p.want(sets[i/2], p.Current(consumer), true)
			p.want(sets[min(i+1, promises-1)], p.Current(consumer), i+1 == promises)
		}
	}
	t.Logf("%d MB", p.engine.Bytes()>>20)
	if p.engine.Bytes() > 1<<30 {
		t.Errorf("%d bytes", p.engine.Bytes())
	}
}

// When there is no room for strands or pasts, the construct is refused and the answers
// stay.
func TestNoRoom(t *testing.T) {
	t.Run("strands", func(t *testing.T) {
		p := start(t, 100, 10)
		for {
			c, _ := p.Do(reach.Create, 1, 0)
			if refusal := p.engine.Do(c); refusal.Refused() {
				if !strings.Contains(refusal.Why, "room") || c.After.Index() != 11 {
					t.Errorf("refused before strand %d: %s", c.After.Index(), refusal.Why)
				}
				break
			}
		}
		p.want(reach.Root, 9, true)
		p.want(8, 9, false)
	})
	t.Run("pasts", func(t *testing.T) {
		p := start(t, 100, 1000)
		p.engine.Cramp(60)
		consumer := p.do(reach.Create, 1, 0)
		var ends, follows []reach.Strand
		for {
			producer := p.do(reach.Spawn, 1, 0)
			ends = append(ends, p.Current(producer))
			p.do(reach.Set, producer, p.NewPromise())
			p.do(reach.End, producer, 0)
			c, _ := p.Do(reach.Await, consumer, uint32(len(ends)))
			if refusal := p.engine.Do(c); refusal.Refused() {
				if !strings.Contains(refusal.Why, "no room for another past") {
					t.Error(refusal.Why)
				}
				break
			}
			follows = append(follows, c.After)
		}
		if len(follows) < 10 {
			t.Fatalf("refused after %d", len(follows))
		}
		for i := range follows {
			p.want(ends[i], follows[i], true)
			p.want(ends[i+1], follows[i], false)
		}
	})
}
