package order_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/order"
	"github.com/detrace/detrace/reach/structtest"
)

func newLabels(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(order.Engine)
	e.Init(maxTasks, maxStrands)
	return e
}

func newLists(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(order.Engine)
	e.InitLists(maxTasks, maxStrands)
	return e
}

// ways are the two in which the engine keeps its orders.
var ways = []struct {
	name  string
	fresh structtest.New
}{{"labels", newLabels}, {"lists", newLists}}

func TestConformance(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			structtest.Conform(t, 10000, 80, way.fresh, structtest.SpawnSync, structtest.AsyncFinish)
			structtest.Conform(t, 6, 500, way.fresh, structtest.SpawnSync, structtest.AsyncFinish)
		})
	}
}

// Programs of both spawn/sync and async/finish are taken while they nest, and the
// answers are right up to a refusal.
func TestNested(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			taken := 0
			first, count := soak.Seeds(4000)
			for seed := first; seed < first+count; seed++ {
				p := mixed(seed)
				err := structtest.Run(p, way.fresh)
				var refusal *event.Error
				switch {
				case err == nil:
					taken++
				case !errors.As(err, &refusal) || !strings.HasPrefix(refusal.Why, "order takes"):
					p, err = structtest.Shrink(p, way.fresh, err)
					t.Fatalf("seed %d: %v\n%s", seed, err, p)
				}
			}
			t.Logf("%d of %d programs nest", taken, count)
			if taken < int(count/10) {
				t.Error("too few programs that nest")
			}
		})
	}
}

// mixed is a program of spawn, sync, async and finish: what is left of a random one of
// everything without the rest and all that needs it.
func mixed(seed uint64) (p structtest.Program) {
	all := structtest.FromSeed(seed, 60, structtest.Everything, reach.AnyOrder)
	binder := event.NewBinder(uint32(len(all)) + 2)
	defer binder.Close()
	for _, e := range all {
		kind, ok := e.Kind.Construct()
		if !ok || !slices.Contains([]reach.Kind{reach.Spawn, reach.Sync, reach.Async, reach.Finish, reach.EndFinish, reach.End}, kind) {
			continue
		}
		e.Line = len(p) + 1
		if binder.Control(e, func(*reach.Construct) reach.Refusal { return reach.Refusal{} }) == nil {
			p = append(p, e)
		}
	}
	return p
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestConformance|TestNested)$", []mutants.Mutant{
		{Name: "each spawn has a block of its own", File: "order.go", Old: "if *e.closers.At(level) != block {", New: "if true {"},
		{Name: "a spawned task lets its asyncs outlive it", File: "order.go", Old: "e.fork(c, level, spawned)", New: "e.fork(c, level, nobody)"},
		{Name: "an async in a block is joined by its sync", File: "order.go", Old: "if closer != nobody && closer != c.Finish {", New: "if closer != nobody && closer != c.Finish && closer != block {"},
		{Name: "an async in an async has no finish", File: "order.go", Old: "e.fork(c, level, closer)", New: "e.fork(c, level, spawned)"},
		{Name: "a sync joins what was spawned outside", File: "order.go", Old: "e.level(j.Continuation) != level", New: "e.level(j.Continuation) == 0"},
		{Name: "a finish ends a block", File: "order.go", Old: "if *e.closers.At(level) != c.Finish {", New: "if *e.closers.At(level) == nobody {"},
		{Name: "the strand after a finish is in it", File: "order.go", Old: "e.begin(c.After, e.order.end(level, c.After))", New: "e.order.end(level, c.After)\n\te.begin(c.After, level)"},
		{Name: "the Hebrew order is the English one", File: "sporder.go", Old: "l.hebrew.InsertAfter(l.item(after))", New: "l.hebrew.InsertAfter(l.item(before))"},
		{Name: "the continuation comes before the child in both orders", File: "sporder.go", Old: "l.place(first, l.english.InsertAfter(l.item(before)))", New: "l.place(first, l.english.InsertAfter(l.item(after)))"},
		{Name: "the English order alone", File: "sporder.go", Old: "l.english.Before(x, y) && l.hebrew.Before(x, y)", New: "l.english.Before(x, y)"},
		{Name: "the strand after a join is not at the level's end", File: "sporder.go", Old: "o.lists.place(after, x.item)", New: "o.lists.place(after, o.lists.insert(reach.Root))"},
	})
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, program string
		want          []string // nil if it is taken
	}{
		{"a future", "create 0 1", []string{"line 1: ", "no futures", "sforder", "forder", "task 1"}},
		{"a promise", "promise 0 1; set 0 1", []string{"line 2: ", "no promises", "forder"}},
		{"a line", "spawn 0 1; fork 1 2", []string{"line 2: ", "line", "lattice", "task 2"}},
		{"an async beside a spawned task", "spawn 0 1; async 0 2", []string{"line 2: ", "async beside", "forder", "task 2"}},
		{"an async that outlives the spawned task it is in", "finish 0; spawn 0 1; async 1 2", []string{"line 3: ", "async beside or in", "forder", "task 2"}},
		{"an async in a finish of the spawned task", "spawn 0 1; finish 1; async 1 2; end 2; endfinish 1; end 1; sync 0", nil},
		{"an async before the spawn", "finish 0; async 0 1; spawn 0 2; end 2; sync 0; end 1; endfinish 0", nil},
		{"an async that nobody joins", "async 0 1; async 1 2; end 1", nil},
		{"a finish ends before the sync", "finish 0; spawn 0 1; endfinish 0", []string{"line 3: ", "end of a finish", "forder"}},
		{"a sync inside a finish of a task spawned outside", "spawn 0 1; end 1; finish 0; spawn 0 2; end 2; sync 0", []string{"line 6: ", "a sync only", "forder", "task 1"}},
	} {
		for _, way := range ways {
			err := structtest.Run(structtest.List(t, c.program), way.fresh)
			if c.want == nil && err != nil {
				t.Errorf("%s, %s: %v", c.name, way.name, err)
			}
			for _, part := range c.want {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%s, %s: %v, want %q", c.name, way.name, err, part)
				}
			}
		}
	}
}

// program runs constructs through an engine.
type program struct {
	testing.TB
	engine structtest.Engine
	construct.Run
}

func start(t testing.TB, fresh structtest.New, tasks, strands uint32) *program {
	p := &program{TB: t, engine: fresh(tasks, strands)}
	p.Init(tasks)
	t.Cleanup(func() { p.Close(); p.engine.Close() })
	return p
}

// do is a construct; it returns the task that was started.
func (p *program) do(kind reach.Kind, t reach.Task) reach.Task {
	c, refusal := p.Do(kind, t, 0)
	if refusal.Refused() {
		p.Fatal(refusal.Why)
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

// A million tasks one inside the other, each with a strand beside its child, and the
// joins all the way back.
func TestDeep(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name+" spawn", func(t *testing.T) {
			p := start(t, way.fresh, million+2, 4*million)
			line, beside := []reach.Task{1}, []reach.Strand{0}
			for i := range million {
				line = append(line, p.do(reach.Spawn, line[i]))
				beside = append(beside, p.Current(line[i]))
			}
			bottom := p.Current(line[million])
			for i := million; i > 0; i-- {
				p.do(reach.End, line[i])
				if i%10007 == 0 {
					p.want(bottom, beside[i], false)
					p.want(reach.Root, bottom, true)
				}
				p.do(reach.Sync, line[i-1])
				if i%10007 == 0 {
					p.want(bottom, p.Current(line[i-1]), true)
					p.want(beside[i], p.Current(line[i-1]), true)
				}
			}
			t.Logf("%d bytes a task", p.engine.(*order.Engine).Bytes()/million)
		})
		t.Run(way.name+" async", func(t *testing.T) {
			p := start(t, way.fresh, million+2, 4*million)
			p.do(reach.Finish, 1)
			line, beside := []reach.Task{1}, []reach.Strand{0}
			for i := range million {
				line = append(line, p.do(reach.Async, line[i]))
				beside = append(beside, p.Current(line[i]))
			}
			bottom := p.Current(line[million])
			for i := 1; i <= million; i++ {
				p.do(reach.End, line[i])
				if i%10007 == 0 {
					p.want(bottom, beside[i], false)
					p.want(reach.Root, bottom, true)
				}
			}
			p.do(reach.EndFinish, 1)
			for i := 1; i <= million; i += 10007 {
				p.want(beside[i], p.Current(1), true)
			}
			p.want(bottom, p.Current(1), true)
		})
	}
}

// A million tasks side by side.
func TestWide(t *testing.T) {
	for _, way := range ways {
		for _, kinds := range [][2]reach.Kind{{reach.Spawn, reach.Sync}, {reach.Async, reach.EndFinish}} {
			t.Run(way.name+" "+kinds[0].String(), func(t *testing.T) {
				p := start(t, way.fresh, million+2, 4*million)
				if kinds[0] == reach.Async {
					p.do(reach.Finish, 1)
				}
				var strands []reach.Strand
				for range million {
					c := p.do(kinds[0], 1)
					strands = append(strands, p.Current(c))
					p.do(reach.End, c)
				}
				for i := 1; i < million; i += 1009 {
					p.want(strands[i-1], strands[i], false)
					p.want(strands[million-i], p.Current(1), false)
				}
				p.do(kinds[1], 1)
				for i := 0; i < million; i += 1009 {
					p.want(strands[i], p.Current(1), true)
				}
			})
		}
	}
}

// When there is no room, the construct is refused and the answers stay.
func TestNoRoom(t *testing.T) {
	for _, way := range ways {
		p := start(t, way.fresh, 100, 10)
		for {
			c, _ := p.Do(reach.Spawn, 1, 0)
			if refusal := p.engine.Do(c); refusal.Refused() {
				if !strings.Contains(refusal.Why, "room") || c.After.Index() != 11 {
					t.Errorf("%s: refused before strand %d: %s", way.name, c.After.Index(), refusal.Why)
				}
				break
			}
		}
		for v := reach.Strand(2); v <= 9; v++ {
			p.want(reach.Root, v, true)
			p.want(v, 10, false)
		}
	}
}

func TestConcurrent(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			structtest.Concurrent(t, 60, 400, way.fresh, structtest.SpawnSync, structtest.AsyncFinish)
		})
	}
}
