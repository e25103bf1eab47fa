package spbags_test

import (
	"strings"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/spbags"
	"github.com/detrace/detrace/reach/structtest"
)

func fresh(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(spbags.Engine)
	e.Init(maxTasks, maxStrands)
	return e
}

func TestConformance(t *testing.T) {
	structtest.Conform(t, 20000, 80, fresh, structtest.SpawnSync, structtest.AsyncFinish)
	structtest.ConformOrRefuse(t, 5000, 80, fresh, "between them", structtest.Joined)
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "^TestConformance$", []mutants.Mutant{
		{"a task that ends stays in an S bag", "spbags.go", "e.bags.Return(uint32(c.Task))", ""},
		{"a sync joins the last task only", "spbags.go", "range c.Joined {", "range c.Joined[:1] {"},
		{"a sync leaves the last task out", "spbags.go", "range c.Joined {", "range c.Joined[1:] {"},
		{"a joined task takes the joining one in", "spbags.go", "e.bags.Join(uint32(c.Task), uint32(c.Joined[i].Task))", "e.bags.Join(uint32(c.Joined[i].Task), uint32(c.Task))"},
		{"a sync joins to the task before", "spbags.go", "e.bags.Join(uint32(c.Task), uint32(c.Joined[i].Task))", "e.bags.Join(max(uint32(c.Task)-1, 1), uint32(c.Joined[i].Task))"},
		{"the parent returns", "spbags.go", "e.bags.Return(uint32(c.Task))", "e.bags.Return(max(uint32(c.Task)-1, 1))"},
		{"the query is about the strand that runs", "spbags.go", "Precedes(u, _ reach.Strand)", "Precedes(_, u reach.Strand)"},
		{"bags begin as P bags", "../../internal/disjoint/bags.go", "b.tasks.Add(t, true)", "b.tasks.Add(t, false)"},
	})
}

// What spbags cannot take is refused where it stands, with an engine that can.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		program []event.Event
		want    string
	}{
		{[]event.Event{{Kind: event.Of(reach.Spawn), Arg: 1}, {Kind: event.Of(reach.Create), Task: 1, Arg: 2}}, "2: create 1 2: .* multibags "},
		{[]event.Event{{Kind: event.Of(reach.Finish)}, {Kind: event.Of(reach.Spawn), Arg: 1}, {Kind: event.Of(reach.Async), Task: 1, Arg: 2}}, "3: async 1 2: .* jointree "},
		{[]event.Event{{Kind: event.Promise, Arg: 7}, {Kind: event.Of(reach.Set), Arg: 7}}, "2: set 0 7: .* drdp "},
		{[]event.Event{{Kind: event.Of(reach.Fork), Arg: 1}}, "1: fork 0 1: .* lattice "},
	} {
		for i := range c.program {
			c.program[i].Line = i + 1
		}
		err := structtest.Run(c.program, fresh)
		if err == nil {
			t.Errorf("%v is not refused", c.program)
			continue
		}
		for _, part := range strings.Split(c.want, ".*") {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v: %q, want %q", c.program, err, c.want)
			}
		}
	}
}

// A task beyond the room is refused, and what has run can still be asked about.
func TestFull(t *testing.T) {
	e := fresh(2, 100)
	defer e.Close()
	p := program{t, e, new(construct.Run)}
	p.Init(10)
	defer p.Close()
	p.do(reach.Spawn, 1)
	p.do(reach.End, 2)
	c, _ := p.Do(reach.Spawn, 1, 0)
	if refusal := e.Do(c); !strings.Contains(refusal.Why, "room") {
		t.Errorf("the third task: %q", refusal.Why)
	}
	if e.Precedes(reach.StrandOf(2, 2), c.Before) || !e.Precedes(reach.Root, c.Before) {
		t.Error("the refusal changed an answer")
	}
}

// program runs constructs through an engine.
type program struct {
	testing.TB
	engine reach.Engine
	*construct.Run
}

func (p *program) do(kind reach.Kind, t reach.Task) {
	c, refusal := p.Do(kind, t, 0)
	if c != nil && !refusal.Refused() {
		refusal = p.engine.Do(c)
	}
	if refusal.Refused() {
		p.Fatal(refusal.Why)
	}
}

const million = 1_000_000

func start(t testing.TB, tasks uint32) *program {
	e := fresh(tasks, 3*tasks)
	p := &program{t, e, new(construct.Run)}
	p.Init(tasks)
	t.Cleanup(func() { p.Close(); e.Close() })
	return p
}

// A million tasks one inside the other.
func TestDeep(t *testing.T) {
	p := start(t, million)
	for task := reach.Task(1); task < million; task++ {
		p.do(reach.Spawn, task)
	}
	last := p.Current(million)
	for task := reach.Task(million); task > 1; task-- {
		p.do(reach.Sync, task)
		if !p.engine.Precedes(last, p.Current(task)) {
			t.Fatalf("the deepest task is not joined to task %d", task)
		}
		p.do(reach.End, task)
		if p.engine.Precedes(last, p.Current(task-1)) {
			t.Fatalf("the deepest task is joined to task %d too early", task-1)
		}
	}
}

// A million tasks one beside the other.
func TestWide(t *testing.T) {
	p := start(t, million)
	for task := reach.Task(2); task <= million; task++ {
		p.do(reach.Spawn, 1)
		p.do(reach.End, task)
	}
	for _, want := range []bool{false, true} {
		for task := reach.Task(2); task <= million; task++ {
			if p.engine.Precedes(p.Current(task), p.Current(1)) != want {
				t.Fatalf("task %d precedes the root: %v", task, !want)
			}
		}
		p.do(reach.Sync, 1)
	}
}

// fib spawns both halves and syncs, as the paper's program.
func (p *program) fib(t reach.Task, n int) {
	if n < 2 {
		return
	}
	for i := 1; i <= 2; i++ {
		p.do(reach.Spawn, t)
		child := reach.Task(p.Tasks())
		p.fib(child, n-i)
		p.do(reach.End, child)
	}
	p.do(reach.Sync, t)
}

// BenchmarkFib is a whole run: checking and numbering by package construct included.
func BenchmarkFib(b *testing.B) {
	const n, tasks = 24, 150049
	var bytes uint64
	for b.Loop() {
		e := fresh(tasks+1, 1)
		p := &program{b, e, new(construct.Run)}
		p.Init(tasks + 1)
		p.fib(1, n)
		bytes = e.(*spbags.Engine).Bytes()
		if p.Tasks() != tasks {
			b.Fatal(p.Tasks())
		}
		p.Close()
		e.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/task")
	b.ReportMetric(float64(bytes)/tasks, "bytes/task")
}

// BenchmarkSpawn is the engine alone: spawn, return and sync of one child.
func BenchmarkSpawn(b *testing.B) {
	const room = 1 << 20
	e := fresh(room, 1).(*spbags.Engine)
	defer e.Close()
	joined := []reach.Joined{{}}
	spawn, end, sync := reach.Construct{Kind: reach.Spawn, Task: 1}, reach.Construct{Kind: reach.End}, reach.Construct{Kind: reach.Sync, Task: 1, Joined: joined}
	b.ReportAllocs()
	for i := uint32(0); b.Loop(); i++ {
		t := reach.Task(2 + i%(room-2)) // a number starts anew: the old one is never asked about
		spawn.Other, end.Task, joined[0].Task = t, t, t
		e.Do(&spawn)
		e.Do(&end)
		e.Do(&sync)
	}
}

// BenchmarkPrecedes asks about the tasks of fib in turn.
func BenchmarkPrecedes(b *testing.B) {
	p := start(b, 1<<18)
	p.fib(1, 22)
	e := p.engine.(*spbags.Engine)
	tasks, v := p.Tasks(), p.Current(1)
	for i := uint32(0); b.Loop(); i++ {
		if !e.Precedes(reach.StrandOf(reach.Task(1+i%tasks), 1), v) {
			b.Fatal(i)
		}
	}
}
