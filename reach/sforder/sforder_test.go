package sforder_test

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
	"github.com/detrace/detrace/reach/sforder"
	"github.com/detrace/detrace/reach/structtest"
)

func fresh(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(sforder.Engine)
	e.Init(maxTasks, maxStrands)
	return e
}

func TestConformance(t *testing.T) {
	structtest.Conform(t, 12000, 80, fresh, structtest.SpawnSync, structtest.StructuredFutures)
}

// Longer programs have futures in several pieces of a set.
func TestLongPrograms(t *testing.T) {
	structtest.Conform(t, 4, 900, fresh, structtest.StructuredFutures)
}

func TestConcurrent(t *testing.T) {
	structtest.Concurrent(t, 60, 400, fresh, structtest.SpawnSync, structtest.StructuredFutures)
}

// Of programs with any futures, exactly those are refused, and at the get, that break
// a rule of structured futures.
func TestRefusesWhatIsNotStructured(t *testing.T) {
	refused := 0
	first, count := soak.Seeds(5000)
	for seed := first; seed < first+count; seed++ {
		p := structtest.FromSeed(seed, 60, structtest.GeneralFutures, reach.AnyOrder)
		illegal, err := judge(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		if illegal {
			refused++
		}
	}
	t.Logf("%d programs, %d refused", count, refused)
	if refused < int(count/10) {
		t.Error("too few programs that are not structured")
	}
}

// judge runs p up to its first illegal get, by the oracle, and returns whether there is
// one, or where the engine disagrees.
func judge(p structtest.Program) (illegal bool, err error) {
	binder := event.NewBinder(uint32(len(p)) + 2)
	defer binder.Close()
	engine := fresh(uint32(len(p))+2, uint32(3*len(p)))
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
				illegal = taken[c.Other] || f != c.Before && !oracle.Precedes(dag.Strand(f.Index()), dag.Strand(c.Before.Index()))
				taken[c.Other] = true
			}
			oracle.Do(c)
			return engine.Do(c)
		})
		var refusal *event.Error
		switch {
		case illegal:
			if !errors.As(err, &refusal) || !strings.Contains(refusal.Why, "create") || refusal.OtherName != e.Arg {
				return true, fmt.Errorf("line %d: should be refused, but: %v", e.Line, err)
			}
			return true, nil
		case err != nil:
			return false, err
		}
	}
	return false, nil
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestConformance|TestRefusesWhatIsNotStructured|TestSets)$", []mutants.Mutant{
		{Name: "a created future is in gp after the sync", File: "sforder.go", Old: "\tif e.sets.overflow() {\n\t\treturn e.setsFull(mark)\n\t}\n\te.begin(c.After, e.pseudo", New: "\tif e.futureCount > 0 && mark < pieceMask {\n\t\tgp = e.sets.with(gp, e.futureCount)\n\t}\n\te.begin(c.After, e.pseudo"},
		{Name: "a sync forgets what its tasks got", File: "sforder.go", Old: "gp = e.sets.union(gp, of)", New: "e.sets.union(gp, of)"},
		{Name: "a get forgets what the future got", File: "sforder.go", Old: "e.sets.with(e.sets.union(gp, of), id)", New: "e.sets.with(gp, id+0*uint32(of))"},
		{Name: "a get leaves the future out", File: "sforder.go", Old: "gp = e.sets.with(e.sets.union(gp, of), id)", New: "gp = e.sets.union(gp, of)"},
		{Name: "a create forgets gp", File: "sforder.go", Old: "child := e.fork(c, at, e.futureCount, gp)", New: "child := e.fork(c, at, e.futureCount, gp&0)"},
		{Name: "the pseudo-SP-dag is asked about any two futures", File: "sforder.go", Old: "return m.Precedes() && e.pseudo.Depth(m.Level) >= e.pseudo.Depth(e.futures.At(f).level)", New: "return m.Precedes()"},
		{Name: "the pseudo-SP-dag is asked about one future alone", File: "sforder.go", Old: "return m.Precedes() && e.pseudo.Depth(m.Level) >=", New: "return m.Precedes() && e.levels.At(vl).future() == f && e.pseudo.Depth(m.Level) >="},
		{Name: "gp is not asked", File: "sforder.go", Old: "if e.sets.has(gp, f) {", New: "if false {"},
		{Name: "a spawned task is a future of its own", File: "sforder.go", Old: "e.fork(c, at, l.future(), gp)", New: "e.fork(c, at, l.future()+1, gp)"},
		{Name: "a second get is taken", File: "sforder.go", Old: "f.follows |= isGot", New: ""},
		{Name: "a handle that races is taken", File: "sforder.go", Old: "!e.ordered(follows, f.follows, at", New: "!e.ordered(follows*0+1, reach.Root.Index(), at"},
		{Name: "a union is one of two sets", File: "sets.go", Old: "r[i] = p[i] | q[i]", New: "r[i] = max(p[i], q[i])"},
		{Name: "the set of less height is dropped", File: "sets.go", Old: "r[0] = s.lift(b, height).piece()", New: "return a"},
		{Name: "a set changes", File: "sets.go", Old: "return s.add(&p)", New: "if at != 0 {\n\t\t*s.pieces.At(at) = p\n\t\treturn at\n\t}\n\treturn s.add(&p)"},
	})
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, program string
		want          []string // nil if it is taken
	}{
		{"a second get", "create 0 1; end 1; get 0 1; get 0 1", []string{"line 4: get 0 1: ", "one get for each create", "forder", "task 1, started in line 1"}},
		{"a handle that races", "spawn 0 1; create 1 2; end 2; end 1; get 0 2", []string{"line 5: get 0 2: ", "what follows the create", "forder", "task 2, started in line 2"}},
		{"a handle handed over at a sync", "spawn 0 1; create 1 2; end 2; end 1; sync 0; get 0 2", nil},
		{"a handle handed over at a get", "create 0 1; create 1 2; end 2; end 1; get 0 1; get 0 2", nil},
		{"a handle handed down", "create 0 1; end 1; create 0 2; get 2 1", nil},
		{"a future gets itself", "create 0 1; create 1 2; end 2; end 1; get 0 2", []string{"line 5: ", "what follows the create"}},
		{"async", "async 0 1", []string{"line 1: ", "async", "order", "forder", "task 1"}},
		{"finish", "finish 0", []string{"line 1: ", "finish", "order"}},
		{"a promise", "promise 0 1; block 0 1", []string{"line 2: ", "promises", "forder"}},
		{"a line", "fork 0 1", []string{"line 1: ", "line", "lattice"}},
	} {
		err := structtest.Run(structtest.List(t, c.program), fresh)
		if c.want == nil && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, part := range c.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", c.name, err, part)
			}
		}
	}
}

// program runs constructs through an engine.
type program struct {
	testing.TB
	engine *sforder.Engine
	construct.Run
}

func start(t testing.TB, tasks, strands uint32) *program {
	p := &program{TB: t, engine: fresh(tasks, strands).(*sforder.Engine)}
	p.Init(tasks)
	t.Cleanup(func() { p.Close(); p.engine.Close() })
	return p
}

// do is a construct; it returns the task that was started.
func (p *program) do(kind reach.Kind, t, arg reach.Task) reach.Task {
	c, refusal := p.Do(kind, t, uint32(arg))
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

// A million tasks one inside the other, each with a strand beside its child, joined
// from the bottom.
func TestDeep(t *testing.T) {
	for _, kinds := range [][2]reach.Kind{{reach.Spawn, reach.Sync}, {reach.Create, reach.Get}} {
		t.Run(kinds[0].String(), func(t *testing.T) {
			p := start(t, million+2, 4*million)
			line, beside := []reach.Task{1}, []reach.Strand{0}
			for i := range million {
				line = append(line, p.do(kinds[0], line[i], 0))
				beside = append(beside, p.Current(line[i]))
			}
			bottom := p.Current(line[million])
			for i := million; i > 0; i-- {
				p.do(reach.End, line[i], 0)
				if i%10007 == 0 {
					p.want(bottom, beside[i], false)
					p.want(reach.Root, bottom, true)
				}
				p.do(kinds[1], line[i-1], line[i])
				if i%10007 == 0 {
					p.want(bottom, p.Current(line[i-1]), true)
					p.want(beside[i], p.Current(line[i-1]), true)
				}
			}
			t.Logf("%d MB", p.engine.Bytes()>>20)
		})
	}
}

// A million tasks side by side.
func TestWide(t *testing.T) {
	for _, kinds := range [][2]reach.Kind{{reach.Spawn, reach.Sync}, {reach.Create, reach.Get}} {
		t.Run(kinds[0].String(), func(t *testing.T) {
			p := start(t, million+2, 4*million)
			var tasks []reach.Task
			for range million {
				tasks = append(tasks, p.do(kinds[0], 1, 0))
				p.do(reach.End, tasks[len(tasks)-1], 0)
			}
			for i := 1; i < million; i += 1009 {
				p.want(p.Current(tasks[i-1]), p.Current(tasks[i]), false)
				p.want(p.Current(tasks[million-i]), p.Current(1), false)
			}
			if kinds[1] == reach.Sync {
				p.do(reach.Sync, 1, 0)
			}
			for i := range tasks {
				if kinds[1] == reach.Get {
					p.do(reach.Get, 1, tasks[i])
				}
				if i%1009 == 0 {
					p.want(p.Current(tasks[i]), p.Current(1), true)
				}
			}
			t.Logf("%d MB", p.engine.Bytes()>>20)
		})
	}
}

// A hundred thousand futures, each got by the next one, so that each strand has
// another set.
func TestManyFutures(t *testing.T) {
	const futures = 100_000
	p := start(t, futures+2, 4*futures)
	var ends []reach.Strand
	last := reach.Task(0)
	for i := range futures {
		f := p.do(reach.Create, 1, 0)
		if last != 0 {
			p.do(reach.Get, f, last)
		}
		ends = append(ends, p.Current(f))
		p.do(reach.End, f, 0)
		if i%997 == 1 {
			p.want(ends[i/2], ends[i], true)
			p.want(ends[i], p.Current(1), false)
		}
		last = f
	}
	t.Logf("%d MB", p.engine.Bytes()>>20)
	if p.engine.Bytes() > 1<<30 {
		t.Errorf("%d bytes", p.engine.Bytes())
	}
}

// When there is no room for strands or sets, the construct is refused and the answers
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
	t.Run("sets", func(t *testing.T) {
		p := start(t, 100, 1000)
		p.engine.Cramp(5)
		var futures []reach.Task
		var follows []reach.Strand
		for range 10 {
			futures = append(futures, p.do(reach.Create, 1, 0))
			p.do(reach.End, futures[len(futures)-1], 0)
		}
		for _, f := range futures[:5] {
			p.do(reach.Get, 1, f)
			follows = append(follows, p.Current(1))
		}
		c, _ := p.Do(reach.Get, 1, uint32(futures[5]))
		if refusal := p.engine.Do(c); !strings.Contains(refusal.Why, "no room for another set") || p.engine.Sets() != 5 {
			t.Errorf("refused: %q, %d pieces", refusal.Why, p.engine.Sets())
		}
		for i, f := range futures[:5] {
			p.want(p.Current(f), follows[4], true)
			p.want(p.Current(futures[i+1]), follows[i], false)
		}
	})
}
