package multibagsplus_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/multibagsplus"
	"github.com/detrace/detrace/reach/structtest"
)

func fresh(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(multibagsplus.Engine)
	e.Init(maxTasks, maxStrands)
	return e
}

func TestConformance(t *testing.T) {
	structtest.Conform(t, 12000, 80, fresh, structtest.SpawnSync, structtest.StructuredFutures, structtest.GeneralFutures)
	structtest.ConformOrRefuse(t, 15000, 40, fresh, "multibagsplus takes", structtest.Joined, structtest.JoinedFutures, structtest.AsyncFinish)
}

// Programs so large that rows have more than one block.
func TestConformanceLarge(t *testing.T) {
	structtest.Conform(t, 60, 4000, fresh, structtest.GeneralFutures)
}

// The smallest programs that show where MultiBags+ is easily got wrong.
func TestTraps(t *testing.T) {
	for _, c := range []struct{ name, program string }{
		{"a fork is attached after its successors have some",
			`spawn 0 1
			  spawn 1 2; create 2 3; end 3; end 2
			  create 1 4; end 4
			  sync 1
			 end 1
			 get 0 3; read`},
		{"a fork around an inner fork, both attached late",
			`spawn 0 1
			  spawn 1 2
			   spawn 2 3; create 3 4; end 4; end 3
			   create 2 5; end 5
			   sync 2
			  end 2
			  create 1 6; end 6
			  sync 1
			 end 1
			 get 0 4; read`},
		{"a late fork precedes through a get what follows that get",
			`spawn 0 1
			  spawn 1 2; create 2 3; end 3; end 2
			  create 1 4; end 4
			  sync 1
			 end 1
			 create 0 5; get 5 3; end 5
			 get 0 5; read`},
		{"the set that a fork is united into is attached",
			`spawn 0 1
			  spawn 1 2; create 2 3; end 3; end 2
			  sync 1
			  create 1 4; end 4
			 end 1
			 get 0 3; read`},
		{"the successor of an unattached side",
			`create 0 1
			  spawn 1 2; end 2
			  create 1 3; end 3
			  sync 1
			 end 1
			 create 0 4; end 4
			 get 0 1; read`},
		{"a future got twice, once in parallel",
			`create 0 1; end 1
			 spawn 0 2; get 2 1; end 2
			 get 0 1
			 sync 0; read`},
		{"a racing handle",
			`spawn 0 1; create 1 2; end 2; end 1
			 get 0 2; read`},
	} {
		// What follows the last event is asked about before the next.
		text := strings.Replace(c.program, "read", "create 0 99", 1)
		if err := structtest.Run(structtest.List(t, text), fresh); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestConformance|TestTraps|TestRows|TestClosure)$", []mutants.Mutant{
		{"a task that ends stays in an S bag", "multibagsplus.go", "e.dsp.Return(uint32(c.Task))", ""},
		{"the query knows spawn and sync only", "multibagsplus.go", "return a != 0 && e.r.reaches(a, e.of(v).pred)", "return a != 0 && false"},
		{"an unattached set is its own successor", "multibagsplus.go", "proxies{pred: pred}", "proxies{pred, pred}"},
		{"the end of a future does not precede the get", "multibagsplus.go", "e.r.after(before, source)", "e.r.after(before, 0)"},
		{"a set is attached in R only", "multibagsplus.go", "e.attach(c.Before, before)\n\t}\n\te.add(c.First, first)", "}\n\te.add(c.First, first)"},
		{"united, a set takes the other's proxies", "multibagsplus.go", "p := *e.proxies.At(into)", "p := *e.proxies.At(from)"},
		{"united, a set has the proxies of its new root", "multibagsplus.go", "*e.proxies.At(root) = p\n", "_ = p\n"},
		{"a sync joins nothing in the bags", "sync.go", "e.dsp.Join(uint32(c.Task), uint32(c.Joined[i].Task))", "_ = i"},
		{"a fork does not precede what was attached before it", "sync.go", "*e.attachedAtFork.At(uint32(j.Task))+1)", "e.r.count+1)"},
		{"a fork precedes one set too many", "sync.go", "*e.attachedAtFork.At(uint32(j.Task))+1)", "*e.attachedAtFork.At(uint32(j.Task)))"},
		{"a join follows its left side only", "sync.go", "e.r.after(left, right)", "e.r.after(left, left)"},
		{"an unattached right side has no successor", "sync.go", "e.proxies.At(right).succ = e.proxies.At(left).pred", ""},
		{"an unattached left side has no successor", "sync.go", "e.proxies.At(left).succ = e.proxies.At(right).pred", ""},
		{"a fork stays alone beside an attached left side", "sync.go", "e.unite(e.dnsp.Find(j.First.Index()), fork)", ""},
		{"a fork is united with the end of the right side", "sync.go", "e.unite(e.dnsp.Find(j.Continuation.Index()), fork)", "e.unite(right, fork)"},
		{"a fork's set survives and is unattached", "sync.go", "e.unite(e.dnsp.Find(j.First.Index()), fork)", "e.unite(fork, e.dnsp.Find(j.First.Index()))"},
		{"a join beside an attached left side goes to the right", "sync.go", "end = j.Last", "end = end"},
		{"a join of unattached sides is in the right one", "sync.go", "e.unite(e.unite(fork, left), right)", "e.unite(fork, left)"},
		{"forks around the second predecessor are forgotten", "closure.go", "return r.withForks(r.withForks(joined, a), b)", "return r.rows.with(r.withForks(joined, a), b)"},
		{"only the innermost fork around counts", "closure.go", "around = r.nodes.At(n).around {", "around = 0 {"},
		{"a fork around is not around the forks in it", "closure.go", "last, n.around = n.around, r.count\n", "id := last\n\t\tlast = n.around\n\t\tif n.since == id {\n\t\t\tn.around = r.count\n\t\t}\n"},
		{"a fork precedes what comes before its interval", "closure.go", "return r.nodes.At(a).since <= b", "return r.nodes.At(a).since <= b+1"},
		{"a block is changed after its row was made", "closure.go", "r.rows.begin()\n", ""},
	})
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{"async 0 1", "drdp"}, {"finish 0; async 0 1; end 1; spawn 0 2; end 2; endfinish 0", "jointree"}, {"promise 0 7; set 0 7", "drdp"}, {"promise 0 7; block 0 7", "drdp"}, {"fork 0 1", "lattice"},
		{"create 0 1; fork 1 2", "lattice"},
	} {
		p := structtest.List(t, c.program)
		err := structtest.Run(p, fresh)
		var refusal *event.Error
		if !errors.As(err, &refusal) || refusal.Event.Line != len(p) || !strings.Contains(refusal.Why, c.want) {
			t.Errorf("%s: %v, want %s", c.program, err, c.want)
		}
	}
}

// program runs constructs through an engine.
type program struct {
	testing.TB
	engine *multibagsplus.Engine
	*construct.Run
}

func start(t testing.TB, tasks uint32) *program {
	p := &program{t, fresh(tasks, 4*tasks).(*multibagsplus.Engine), new(construct.Run)}
	p.Init(tasks)
	return p
}

func (p *program) close() {
	p.Close()
	p.engine.Close()
}

func (p *program) try(kind reach.Kind, t, arg reach.Task) reach.Refusal {
	c, refusal := p.Do(kind, t, uint32(arg))
	if c != nil && !refusal.Refused() {
		refusal = p.engine.Do(c)
	}
	return refusal
}

func (p *program) do(kind reach.Kind, t, arg reach.Task) {
	p.Helper()
	if refusal := p.try(kind, t, arg); refusal.Refused() {
		p.Fatalf("%v of task %d: %s", kind, t, refusal.Why)
	}
}

// fork runs a task of which body is all but its end.
func (p *program) fork(kind reach.Kind, t reach.Task, body func(child reach.Task)) reach.Task {
	p.do(kind, t, 0)
	child := reach.Task(p.Tasks())
	body(child)
	p.do(reach.End, child, 0)
	return child
}

func empty(reach.Task) {}

// When a table is full the construct is refused, and what has run can still be asked
// about: with little room for tasks, strands or blocks of rows, at every construct where
// there is too little of it.
func TestFull(t *testing.T) {
	const tasks, strands, blocks = 40, 100, 60
	seen := map[string]int{}
	for room := uint32(1); room <= 60; room++ {
		for _, c := range []struct {
			name                   string
			tasks, strands, blocks uint32
		}{{"tasks", room, strands, blocks}, {"strands", tasks, room, blocks}, {"blocks", tasks, strands, room}} {
			if kind, ok := fill(t, c.tasks, c.strands, c.blocks); !ok {
				seen[c.name+" "+kind.String()]++
			}
		}
	}
	for _, want := range []string{"tasks spawn", "tasks create", "strands spawn", "strands create", "strands get", "strands sync", "blocks create", "blocks get", "blocks sync"} {
		if seen[want] == 0 {
			t.Errorf("never full: %s; seen %v", want, seen)
		}
	}
}

// fill runs a program in little room, up to the construct that is refused, which must
// not change answers, and returns that.
func fill(t *testing.T, tasks, strands, blocks uint32) (refused reach.Kind, ok bool) {
	p := &program{t, new(multibagsplus.Engine), new(construct.Run)}
	p.engine.InitCramped(tasks, strands, blocks)
	p.Init(100)
	defer p.close()
	started := []reach.Strand{reach.Root}
	answers := func(v reach.Strand) (all []bool) {
		for _, u := range started {
			all = append(all, p.engine.Precedes(u, v))
		}
		return all
	}
	step := func(kind reach.Kind, task, arg reach.Task) {
		if refused != 0 {
			return
		}
		c, refusal := p.Do(kind, task, uint32(arg))
		if refusal.Refused() {
			t.Fatal(refusal.Why)
		}
		before := answers(c.Before)
		if refusal := p.engine.Do(c); refusal.Refused() {
			refused = kind
			if !strings.Contains(refusal.Why, "room") || !slices.Equal(answers(c.Before), before) {
				t.Fatalf("a refused %v changes what is known; %s", kind, refusal.Why)
			}
			return
		}
		for _, s := range []reach.Strand{c.First, c.After} {
			if s != 0 {
				started = append(started, s)
			}
		}
	}
	for range 10 {
		step(reach.Spawn, 1, 0)
		child := reach.Task(p.Tasks())
		step(reach.Create, child, 0)
		step(reach.End, reach.Task(p.Tasks()), 0)
		step(reach.End, child, 0)
		step(reach.Create, 1, 0)
		future := reach.Task(p.Tasks())
		step(reach.End, future, 0)
		step(reach.Get, 1, future)
		step(reach.Sync, 1, 0)
	}
	return refused, refused == 0
}

const million = 1_000_000

// A million tasks one inside the other, with futures at both ends.
func TestDeep(t *testing.T) {
	p := start(t, million+4)
	defer p.close()
	early := p.fork(reach.Create, 1, empty)
	top := reach.Task(p.Tasks() + 1)
	for task := reach.Task(1); p.Tasks() < million; task = reach.Task(p.Tasks()) {
		p.do(reach.Spawn, task, 0)
	}
	deepest := reach.Task(p.Tasks())
	inner := p.fork(reach.Create, deepest, empty)
	p.do(reach.Get, deepest, early)
	last := p.Current(deepest)
	for task := deepest; task >= top; task-- {
		p.do(reach.End, task, 0)
		parent := task - 1
		if task == top {
			parent = 1
		}
		if p.engine.Precedes(last, p.Current(parent)) {
			t.Fatalf("the deepest task is joined to task %d too early", parent)
		}
		p.do(reach.Sync, parent, 0)
		if !p.engine.Precedes(last, p.Current(parent)) {
			t.Fatalf("the deepest task is not joined to task %d", parent)
		}
	}
	if p.engine.Precedes(p.Current(inner), p.Current(1)) {
		t.Error("the inner future is joined without a get")
	}
	p.do(reach.Get, 1, inner)
	if !p.engine.Precedes(p.Current(inner), p.Current(1)) {
		t.Error("the inner future is not joined by its get")
	}
}

// A million tasks one beside the other, a thousand of which make a future.
func TestWide(t *testing.T) {
	p := start(t, million+2000)
	defer p.close()
	var futures []reach.Task
	for i := range million {
		p.fork(reach.Spawn, 1, func(child reach.Task) {
			if i%1000 == 0 {
				futures = append(futures, p.fork(reach.Create, child, empty))
			}
		})
	}
	p.do(reach.Sync, 1, 0)
	for i, f := range futures {
		if p.engine.Precedes(p.Current(f), p.Current(1)) {
			t.Fatalf("future %d precedes the root before its get", i)
		}
		p.do(reach.Get, 1, f)
		if !p.engine.Precedes(p.Current(f), p.Current(1)) {
			t.Fatalf("future %d does not precede the root after its get", i)
		}
	}
}
