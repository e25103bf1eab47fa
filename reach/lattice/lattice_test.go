package lattice_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/lattice"
	"github.com/detrace/detrace/reach/structtest"
)

func fresh(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(lattice.Engine)
	e.Init(maxTasks, maxStrands)
	return e
}

func TestConformance(t *testing.T) {
	structtest.Conform(t, 20000, 80, fresh, structtest.Lattice)
}

// A supremum of several tasks precedes exactly what all of them precede (conditions
// 6 and 7 of the paper), at every later strand.
func TestSuprema(t *testing.T) {
	first, count := soak.Seeds(5000)
	seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
		return suprema(structtest.FromSeed(seed, 80, structtest.Lattice, reach.DepthFirst), seed)
	})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
}

// location is what a history keeps: the strands that accessed it, and their supremum.
type location struct {
	accesses []dag.Strand
	sup      reach.Task
}

func (l *location) access(e *lattice.Engine, s reach.Strand) {
	l.accesses = append(l.accesses, dag.Strand(s.Index()))
	if l.sup == 0 {
		l.sup = s.Task()
	}
	l.sup = e.Sup(l.sup, s.Task())
}

// suprema runs p; before each event the task that runs accesses one of some locations.
func suprema(p structtest.Program, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 2))
	binder, oracle := event.NewBinder(uint32(len(p))+2), dag.NewStructured()
	defer binder.Close()
	e := fresh(uint32(len(p))+2, 0).(*lattice.Engine)
	defer e.Close()
	locations := make([]location, 4)
	for _, ev := range p {
		s := binder.Run.Current(binder.Task(ev.Task))
		for i, l := range locations {
			if l.sup == 0 {
				continue
			}
			want := true
			for _, a := range l.accesses {
				want = want && (a == dag.Strand(s.Index()) || oracle.Precedes(a, dag.Strand(s.Index())))
			}
			if got := e.Sup(l.sup, s.Task()) == s.Task(); got != want {
				return fmt.Errorf("before line %d: location %d of %v precedes task %d: %v, want %v\n%s", ev.Line, i, l.accesses, ev.Task, got, want, p)
			}
		}
		locations[r.IntN(len(locations))].access(e, s)
		err := binder.Control(ev, func(c *reach.Construct) reach.Refusal { oracle.Do(c); return e.Do(c) })
		if err != nil {
			return err
		}
	}
	return nil
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "^Test(Conformance|Suprema|Pipelines)$", []mutants.Mutant{
		{"a task stays visited when it halts", "lattice.go", "e.sets.Return(uint32(c.Task))", ""},
		{"a join unites nothing", "lattice.go", "e.sets.Join(uint32(c.Task), uint32(c.Other))", ""},
		{"the joined set is the one that goes on", "lattice.go", "e.sets.Join(uint32(c.Task), uint32(c.Other))", "e.sets.Join(uint32(c.Other), uint32(c.Task))"},
		{"a fork unites parent and child", "lattice.go", "e.tasks = uint32(c.Other)\n", "e.tasks = uint32(c.Other)\n\t\te.sets.Join(uint32(c.Task), uint32(c.Other))\n"},
		{"a join makes what is left of it visited", "lattice.go", "e.sets.Join(uint32(c.Task), uint32(c.Other))", "e.sets.Join(uint32(c.Task), uint32(c.Other))\n\t\te.sets.Join(uint32(c.Task), max(1, uint32(c.Other)-1))"},
		{"the supremum of parallel tasks is the root", "lattice.go", "return k\n", "return reach.Root.Task()\n"},
		{"the supremum is taken of the task that runs", "lattice.go", "e.sets.Serial(uint32(k))", "e.sets.Serial(uint32(t))"},
		{"the parent halts too", "lattice.go", "e.sets.Return(uint32(c.Task))", "e.sets.Return(uint32(c.Task))\n\t\te.sets.Return(max(1, uint32(c.Task)-1))"},
	})
}

// What lattice cannot take is refused where it stands, with an engine that can.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		program []event.Event
		want    string
	}{
		{[]event.Event{{Kind: event.Of(reach.Fork), Arg: 1}, {Kind: event.Of(reach.Spawn), Task: 1, Arg: 2}}, "2: spawn 1 2: .* spbags .*task 2, started in line 2"},
		{[]event.Event{{Kind: event.Of(reach.Create), Arg: 1}}, "1: create 0 1: .* multibagsplus "},
		{[]event.Event{{Kind: event.Of(reach.Async), Arg: 1}}, "1: async 0 1: .* drdp "},
		{[]event.Event{{Kind: event.Of(reach.Finish)}}, "1: finish 0: .* drdp "},
		{[]event.Event{{Kind: event.Promise, Arg: 7}, {Kind: event.Of(reach.Set), Arg: 7}}, "2: set 0 7: .* drdp "},
		{[]event.Event{{Kind: event.Promise, Arg: 7}, {Kind: event.Of(reach.Block), Arg: 7}}, "2: block 0 7: .* drdp "},
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
	e := fresh(2, 0)
	defer e.Close()
	p := program{t, e, new(construct.Run)}
	p.Init(10)
	defer p.Close()
	p.do(reach.Fork, 1, 0)
	p.do(reach.End, 2, 0)
	c, _ := p.Do(reach.Fork, 1, 0)
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

func (p *program) do(kind reach.Kind, t reach.Task, arg reach.Task) {
	c, refusal := p.Do(kind, t, uint32(arg))
	if !refusal.Refused() {
		refusal = p.engine.Do(c)
	}
	if refusal.Refused() {
		p.Fatal(refusal.Why)
	}
}

const million = 1_000_000

func start(t testing.TB, tasks uint32) *program {
	e := fresh(tasks, 0)
	p := &program{t, e, new(construct.Run)}
	p.Init(tasks)
	t.Cleanup(func() { p.Close(); e.Close() })
	return p
}

// A million tasks one inside the other, each joined by its parent.
func TestDeep(t *testing.T) {
	p := start(t, million)
	for task := reach.Task(1); task < million; task++ {
		p.do(reach.Fork, task, 0)
	}
	deepest := p.Current(million)
	for task := reach.Task(million); task > 1; task-- {
		p.do(reach.End, task, 0)
		if p.engine.Precedes(deepest, p.Current(task-1)) {
			t.Fatalf("the deepest task is joined to task %d too early", task-1)
		}
		p.do(reach.Join, task-1, task)
		if !p.engine.Precedes(deepest, p.Current(task-1)) {
			t.Fatalf("the deepest task is not joined to task %d", task-1)
		}
	}
}

// A million tasks one beside the other on the line.
func TestWide(t *testing.T) {
	p := start(t, million)
	for task := reach.Task(2); task <= million; task++ {
		p.do(reach.Fork, 1, 0)
		p.do(reach.End, task, 0)
	}
	for task := reach.Task(million); task > 1; task-- {
		if p.engine.Precedes(p.Current(task), p.Current(1)) {
			t.Fatalf("task %d precedes the root before its join", task)
		}
		p.do(reach.Join, 1, task)
		if !p.engine.Precedes(p.Current(task), p.Current(1)) {
			t.Fatalf("task %d does not precede the root after its join", task)
		}
	}
}
