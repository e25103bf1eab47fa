package multibags_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/multibags"
	"github.com/detrace/detrace/reach/structtest"
)

func fresh(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(multibags.Engine)
	e.Init(maxTasks, maxStrands)
	return e
}

func TestConformance(t *testing.T) {
	structtest.Conform(t, 20000, 80, fresh, structtest.SpawnSync, structtest.AsyncFinish, structtest.StructuredFutures)
	structtest.ConformOrRefuse(t, 5000, 80, fresh, "between them", structtest.Joined, structtest.JoinedFutures)
}

// Of programs with any futures, exactly those are refused, and at the get, that break
// a rule of structured futures.
func TestRefusesWhatIsNotStructured(t *testing.T) {
	refused := 0
	first, count := soak.Seeds(10000)
	for seed := first; seed < first+count; seed++ {
		p := structtest.FromSeed(seed, 60, structtest.GeneralFutures, reach.DepthFirst)
		again, races, err := judge(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		if again || races {
			refused++
		}
	}
	t.Logf("%d programs, %d refused", count, refused)
	if refused < int(count/10) {
		t.Error("too few programs that are not structured")
	}
}

// judge runs p up to its first illegal get, by the oracle, and returns what is wrong
// with that, or where the engine disagrees.
func judge(p structtest.Program) (again, races bool, err error) {
	binder := event.NewBinder(uint32(len(p)) + 2)
	defer binder.Close()
	engine := fresh(uint32(len(p))+2, 0)
	defer engine.Close()
	oracle := dag.NewStructured()
	follows, taken := map[reach.Task]reach.Strand{}, map[reach.Task]bool{}
	for _, e := range p {
		err := binder.Control(e, func(c *reach.Construct) reach.Refusal {
			switch c.Kind {
			case reach.Create:
				follows[c.Other] = c.After
			case reach.Get:
				f := follows[c.Other]
				again, taken[c.Other] = taken[c.Other], true
				races = f != c.Before && !oracle.Precedes(dag.Strand(f.Index()), dag.Strand(c.Before.Index()))
			}
			oracle.Do(c)
			return engine.Do(c)
		})
		var refusal *event.Error
		switch {
		case again || races:
			if !errors.As(err, &refusal) || !strings.Contains(refusal.Why, "create") || refusal.OtherName != e.Arg {
				return again, races, fmt.Errorf("line %d: got again %v, handle races %v, but: %v", e.Line, again, races, err)
			}
			return again, races, nil
		case err != nil:
			return false, false, err
		}
	}
	return false, false, nil
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestConformance|TestRefusesWhatIsNotStructured)$", []mutants.Mutant{
		{"a task that ends stays in an S bag", "multibags.go", "e.bags.Return(uint32(c.Task))", ""},
		{"a sync joins the last task only", "multibags.go", "range c.Joined {", "range c.Joined[:1] {"},
		{"a get joins nothing", "multibags.go", "e.bags.Join(uint32(c.Task), uint32(c.Other))", ""},
		{"a future that is got takes the joining task in", "multibags.go", "e.bags.Join(uint32(c.Task), uint32(c.Other))", "e.bags.Join(uint32(c.Other), uint32(c.Task))"},
		{"a future is joined to its creator", "multibags.go", "*creator = got\n\te.bags.Join(uint32(c.Task), uint32(c.Other))", "e.bags.Join(*creator, uint32(c.Other))\n\t*creator = got"},
		{"a second get is taken", "multibags.go", "case *creator == got:", "case *creator == got && false:"},
		{"a handle that races is taken", "multibags.go", "case !e.bags.Serial(*creator):", "case !e.bags.Serial(1):"},
		{"the handle is looked for with the future", "multibags.go", "case !e.bags.Serial(*creator):", "case !e.bags.Serial(uint32(c.Other)):"},
		{"a get counts for the next future too", "multibags.go", "*creator = got", "*creator, *e.creators.At(uint32(c.Other) + 1) = got, got"},
		{"the query is about the strand that runs", "multibags.go", "Precedes(u, _ reach.Strand)", "Precedes(_, u reach.Strand)"},
	})
}

// What multibags cannot take is refused where it stands, with the create that shows
// why and an engine that can.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name    string
		program []event.Event
		want    []string
	}{
		{"a second get",
			[]event.Event{{Kind: event.Of(reach.Create), Arg: 1}, {Kind: event.Of(reach.End), Task: 1}, {Kind: event.Of(reach.Get), Arg: 1}, {Kind: event.Of(reach.Get), Arg: 1}},
			[]string{"line 4: get 0 1: ", "one get for each create", "multibagsplus", "(task 1, started in line 1)"}},
		{"a handle that races",
			[]event.Event{{Kind: event.Of(reach.Spawn), Arg: 1}, {Kind: event.Of(reach.Create), Task: 1, Arg: 2}, {Kind: event.Of(reach.End), Task: 2},
				{Kind: event.Of(reach.End), Task: 1}, {Kind: event.Of(reach.Get), Arg: 2}},
			[]string{"line 5: get 0 2: ", "what follows the create", "multibagsplus", "(task 2, started in line 2)"}},
		{"an async of a future", []event.Event{{Kind: event.Of(reach.Finish)}, {Kind: event.Of(reach.Create), Arg: 1}, {Kind: event.Of(reach.Async), Task: 1, Arg: 2}},
			[]string{"line 3: ", "jointree", "(task 1, started in line 2)"}},
		{"promise", []event.Event{{Kind: event.Promise, Arg: 7}, {Kind: event.Of(reach.Block), Arg: 7}}, []string{"line 2: ", "drdp"}},
		{"line", []event.Event{{Kind: event.Of(reach.Fork), Arg: 1}}, []string{"line 1: ", "lattice"}},
	} {
		for i := range c.program {
			c.program[i].Line = i + 1
		}
		err := structtest.Run(c.program, fresh)
		if err == nil {
			t.Errorf("%s: not refused", c.name)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q, want %q", c.name, err, part)
			}
		}
	}
}

// program runs constructs through an engine.
type program struct {
	testing.TB
	engine structtest.Engine
	*construct.Run
}

func start(t testing.TB, tasks uint32) *program {
	p := &program{t, fresh(tasks, 0), new(construct.Run)}
	p.Init(tasks)
	t.Cleanup(func() { p.Close(); p.engine.Close() })
	return p
}

func (p *program) try(kind reach.Kind, t, arg reach.Task) reach.Refusal {
	c, refusal := p.Do(kind, t, uint32(arg))
	if c != nil && !refusal.Refused() {
		refusal = p.engine.Do(c)
	}
	return refusal
}

func (p *program) do(kind reach.Kind, t, arg reach.Task) {
	if refusal := p.try(kind, t, arg); refusal.Refused() {
		p.Fatal(refusal.Why)
	}
}

// fork runs an empty task.
func (p *program) fork(kind reach.Kind, t reach.Task) reach.Task {
	p.do(kind, t, 0)
	child := reach.Task(p.Tasks())
	p.do(reach.End, child, 0)
	return child
}

// A task beyond the room is refused, and what has run can still be asked about.
func TestFull(t *testing.T) {
	p := &program{t, fresh(2, 0), new(construct.Run)}
	p.Init(10)
	defer p.Close()
	defer p.engine.Close()
	v := p.Current(1)
	p.fork(reach.Create, 1)
	if refusal := p.try(reach.Create, 1, 0); !strings.Contains(refusal.Why, "room") {
		t.Errorf("the third task: %q", refusal.Why)
	}
	if p.engine.Precedes(p.Current(2), v) || !p.engine.Precedes(reach.Root, v) {
		t.Error("the refusal changed an answer")
	}
}

const million = 1_000_000

// A million tasks one inside the other, futures and children in turn.
func TestDeep(t *testing.T) {
	p := start(t, million)
	kind := func(task reach.Task) reach.Kind { return [2]reach.Kind{reach.Spawn, reach.Create}[task%2] }
	for task := reach.Task(2); task <= million; task++ {
		p.do(kind(task), task-1, 0)
	}
	last := p.Current(million)
	for task := reach.Task(million); task > 1; task-- {
		p.do(reach.End, task, 0)
		if p.engine.Precedes(last, p.Current(task-1)) {
			t.Fatalf("the deepest task is joined to task %d too early", task-1)
		}
		if kind(task) == reach.Create {
			p.do(reach.Get, task-1, task)
		} else {
			p.do(reach.Sync, task-1, 0)
		}
		if !p.engine.Precedes(last, p.Current(task-1)) {
			t.Fatalf("the deepest task is not joined to task %d", task-1)
		}
	}
}

// A million futures one beside the other, alive at once and got in reverse, take
// 8 bytes each.
func TestWide(t *testing.T) {
	p := start(t, million+1)
	for range million {
		p.fork(reach.Create, 1)
	}
	for f := reach.Task(million + 1); f > 1; f-- {
		if p.engine.Precedes(p.Current(f), p.Current(1)) {
			t.Fatalf("future %d precedes the root before its get", f)
		}
		p.do(reach.Get, 1, f)
		if !p.engine.Precedes(p.Current(f), p.Current(1)) {
			t.Fatalf("future %d does not precede the root after its get", f)
		}
	}
	if bytes := p.engine.(*multibags.Engine).Bytes(); bytes != 8*(million+1) {
		t.Errorf("%d bytes", bytes)
	}
}

// fib creates both halves and gets them.
func (p *program) fib(t reach.Task, n int) {
	if n < 2 {
		return
	}
	var halves [2]reach.Task
	for i := range halves {
		p.do(reach.Create, t, 0)
		halves[i] = reach.Task(p.Tasks())
		p.fib(halves[i], n-1-i)
		p.do(reach.End, halves[i], 0)
	}
	for _, half := range halves {
		p.do(reach.Get, t, half)
	}
}

// BenchmarkFib is a whole run: checking and numbering by package construct included.
func BenchmarkFib(b *testing.B) {
	const n, tasks = 24, 150049
	var bytes uint64
	for b.Loop() {
		p := &program{b, fresh(tasks+1, 0), new(construct.Run)}
		p.Init(tasks + 1)
		p.fib(1, n)
		bytes = p.engine.(*multibags.Engine).Bytes()
		if p.Tasks() != tasks {
			b.Fatal(p.Tasks())
		}
		p.Close()
		p.engine.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/future")
	b.ReportMetric(float64(bytes)/tasks, "bytes/future")
}

// BenchmarkFork is the engine alone: a task is started, returns and is joined.
func BenchmarkFork(b *testing.B) {
	for _, c := range []struct {
		name       string
		fork, join reach.Kind
	}{{"spawn", reach.Spawn, reach.Sync}, {"create", reach.Create, reach.Get}} {
		b.Run(c.name, func(b *testing.B) {
			const room = 1 << 20
			e := fresh(room, 0)
			defer e.Close()
			joined := []reach.Joined{{}}
			fork, end, join := reach.Construct{Kind: c.fork, Task: 1}, reach.Construct{Kind: reach.End}, reach.Construct{Kind: c.join, Task: 1, Joined: joined}
			b.ReportAllocs()
			for i := uint32(0); b.Loop(); i++ {
				t := reach.Task(2 + i%(room-2)) // a number starts anew: the old one is never asked about
				fork.Other, end.Task, join.Other, joined[0].Task = t, t, t, t
				e.Do(&fork)
				e.Do(&end)
				if refusal := e.Do(&join); refusal.Refused() {
					b.Fatal(refusal.Why)
				}
			}
		})
	}
}

// BenchmarkPrecedes asks about the tasks of fib in turn.
func BenchmarkPrecedes(b *testing.B) {
	p := start(b, 1<<18)
	p.fib(1, 22)
	e := p.engine.(*multibags.Engine)
	tasks, v := p.Tasks(), p.Current(1)
	for i := uint32(0); b.Loop(); i++ {
		if !e.Precedes(reach.StrandOf(reach.Task(1+i%tasks), 1), v) {
			b.Fatal(i)
		}
	}
}
