package detect

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/reachtest"
	"github.com/detrace/detrace/reach/structtest"
	"github.com/detrace/detrace/shadow"
)

// A parallel run, of a goroutine for each task, has the oracle's racy bytes under every
// engine that can judge one, whether the program is in its class or not. Meanwhile
// memory is collected and forgotten.
func TestParallelRuns(t *testing.T) {
	for _, c := range []struct {
		engine  engines.ID
		classes []structtest.Class
	}{
		{engines.Order, []structtest.Class{structtest.SpawnSync, structtest.Joined, structtest.Everything}},
		{engines.SFOrder, []structtest.Class{structtest.StructuredFutures, structtest.GeneralFutures}},
		{engines.FOrder, []structtest.Class{structtest.GeneralFutures, structtest.Promises, structtest.Everything}},
		{engines.JoinTree, []structtest.Class{structtest.Everything}},
		{0, []structtest.Class{structtest.AsyncFinish, structtest.JoinedFutures, structtest.Lattice, structtest.Everything}},
	} {
		for _, class := range c.classes {
			for _, library := range []bool{false, true} {
				t.Run(fmt.Sprint(c.engine, " ", class.Name, " ", library), func(t *testing.T) {
					n := 33 // 100,000 programs with -soak 120
					if reachtest.Race {
						n = 2
					}
					first, count := soak.Seeds(n)
					for seed := first; seed < first+count; seed++ {
						// A test of its own gives the memory back.
						t.Run(fmt.Sprint(seed), func(t *testing.T) {
							p := planned(structtest.FromSeed(seed, 60, class, reach.AnyOrder), seed, library)
							if p.escapes {
								return
							}
							if got := p.run(t, c.engine); !slices.Equal(got, p.racy) {
								t.Fatalf("racy bytes %#x, want %#x\n%s", got, p.racy, p.program)
							}
						})
					}
				})
			}
		}
	}
}

// plan is a program whose tasks can run by themselves.
type plan struct {
	program  structtest.Program
	seed     uint64
	library  bool // promises are no constructs but something of the library that orders
	steps    map[uint32][]planStep
	promises []uint32
	racy     []uint64
	// escapes: whether a finish joins some task depends on the schedule, which the
	// finish does not wait for: it was started by a future or an abandoned child.
	escapes bool
}

// planStep is what a task does next: an access, if its size is not 0, and an event, if its
// kind is not 0.
type planStep struct {
	access dag.Access
	at     uintptr // the instruction
	event  event.Event
	waits  []uint32 // for the ends of these tasks first
}

// planned gives every event of p an access before it, and tells the oracle of all.
func planned(p structtest.Program, seed uint64, library bool) *plan {
	r := rand.New(rand.NewPCG(seed, 4))
	pl := &plan{program: p, seed: seed, library: library, steps: make(map[uint32][]planStep)}
	oracle, binder := dag.NewStructured(), event.NewBinder(uint32(len(p))+2)
	defer binder.Close()
	var asyncs, ends []reach.Construct
	for i, e := range p {
		step := planStep{event: e, at: uintptr(i + 1)}
		if s, err := binder.Access(event.Event{Task: e.Task}); err == nil && e.Kind != event.Promise {
			step.access = dag.Access{Strand: dag.Strand(s.Index()), Op: dag.Op(1 + r.IntN(3)/2), Addr: uint64(low) + uint64(r.IntN(24)), Size: 1}
			oracle.Access(step.access)
		}
		err := binder.Control(e, func(c *reach.Construct) reach.Refusal {
			oracle.Do(c)
			switch {
			case c.Kind == reach.Async && c.Finish != 0:
				asyncs = append(asyncs, *c)
			case c.Kind == reach.EndFinish:
				ends = append(ends, *c)
			}
			for _, j := range c.Joined {
				step.waits = append(step.waits, binder.Name(j.Task))
			}
			return reach.Refusal{}
		})
		if err != nil {
			panic(err)
		}
		switch kind, _ := e.Kind.Construct(); {
		case e.Kind == event.Promise:
			pl.promises = append(pl.promises, e.Arg)
			continue
		case kind == reach.Block:
			step.event.Kind = 0
		case kind == reach.Get || kind == reach.Join:
			step.waits = append(step.waits, e.Arg)
		}
		pl.steps[e.Task] = append(pl.steps[e.Task], step)
	}
	pl.racy = oracle.RacyBytes()
	for _, a := range asyncs {
		for _, end := range ends {
			pl.escapes = pl.escapes || a.Finish == end.Finish && !oracle.Precedes(dag.Strand(a.Before.Index()), dag.Strand(end.After.Index()))
		}
	}
	return pl
}

// parallelRun is one run of a plan.
type parallelRun struct {
	*judged
	*plan
	t       testing.TB
	tasks   map[uint32]*runTask
	promise map[uint32]*runPromise
	running sync.WaitGroup
}

// runTask is a task; its id is written before it starts.
type runTask struct {
	id    reach.Task
	ended chan struct{}
}

type runPromise struct {
	number uint32
	set    chan struct{}
}

// run runs the plan, each task in a goroutine and with a Proc of its own, and returns
// the racy bytes.
func (pl *plan) run(t testing.TB, id engines.ID) []uint64 {
	r := &parallelRun{judged: newJudged(t), plan: pl, t: t, tasks: make(map[uint32]*runTask), promise: make(map[uint32]*runPromise)}
	var mu sync.Mutex
	var racy []uint64
	r.host.Race = func(addr uintptr, _, _ shadow.Access) *record.Entry {
		mu.Lock()
		racy = append(racy, uint64(addr))
		mu.Unlock()
		return nil
	}
	t.Cleanup(r.closeSerial)
	main := r.Fork(r.Engine.Root(), 0)
	size := uint32(len(pl.program)) + 8
	r.serial.maxTasks, r.serial.maxStrands = size, 8*size
	r.Parallel(main, id, pl.seed%2 == 0)
	r.serial.forced = false
	for name := range pl.steps {
		r.tasks[name] = &runTask{ended: make(chan struct{})}
	}
	for _, e := range pl.program {
		if k, _ := e.Kind.Construct(); k.Forks() && r.tasks[e.Arg] == nil {
			r.tasks[e.Arg] = &runTask{}
		}
	}
	for _, p := range pl.promises {
		r.promise[p] = &runPromise{r.NewPromise(), make(chan struct{})}
	}
	if first := r.tasks[0]; first != nil {
		first.id = main
		r.running.Add(1)
		r.task(0)
	}
	r.running.Wait()
	slices.Sort(racy)
	return slices.Compact(racy)
}

// task runs a task to its end.
func (r *parallelRun) task(name uint32) {
	defer r.running.Done()
	self, p := r.tasks[name], r.NewProc()
	random := rand.New(rand.NewPCG(r.seed, uint64(name)))
	own := low + 1<<20 + uintptr(name)<<12
	for _, s := range r.steps[name] {
		if s.access.Size != 0 {
			p.access(&r.Detector, self.id, shadow.Op(s.access.Op), uintptr(s.access.Addr), s.at)
		}
		switch random.IntN(12) {
		case 0:
			runtime.Gosched()
		case 1: // memory that nobody else has ever seen, used and new again
			p.access(&r.Detector, self.id, shadow.Write, own+uintptr(random.IntN(64)), s.at)
			r.Enter(p)
			r.Forget(own, 64)
			r.Leave(p)
		case 2:
			r.Collect(true)
		}
		if s.event.Kind != 0 {
			r.do(p, self, s)
		}
	}
}

// access is step for a goroutine of many.
func (p *Proc) access(d *Detector, t reach.Task, op shadow.Op, addr, pc uintptr) {
	if !d.shortcut(p, t, op, addr, pc) {
		d.Enter(p)
		p.Learned(d.Engine.Strand(t), op, d.Access(p, t, addr, 1, pc, placed(op, pc)))
		d.Leave(p)
	}
}

// do is the event of a step.
func (r *parallelRun) do(p *Proc, self *runTask, s planStep) {
	kind, _ := s.event.Kind.Construct()
	for _, other := range s.waits {
		<-r.tasks[other].ended
	}
	promise := r.promise[s.event.Arg]
	if kind == reach.Await {
		<-promise.set
	}
	r.Enter(p)
	started := r.tell(self, kind, s.event.Arg, promise)
	r.Leave(p)
	switch {
	case kind == reach.Set:
		close(promise.set)
	case kind == reach.End:
		close(self.ended)
	case kind.Forks():
		child := r.tasks[s.event.Arg]
		child.id = started
		r.running.Add(1)
		go r.task(s.event.Arg)
	}
}

// tell tells the detector of a construct.
func (r *parallelRun) tell(self *runTask, kind reach.Kind, arg uint32, promise *runPromise) (started reach.Task) {
	other, number := reach.Task(0), uint32(0)
	switch kind {
	case reach.Set, reach.Await:
		number = promise.number
		if at := high + 8*uintptr(arg); r.library && kind == reach.Set {
			r.Release(self.id, at)
			return 0
		} else if r.library {
			r.Acquire(self.id, at)
			return 0
		}
	case reach.Get, reach.Join:
		other = r.tasks[arg].id
	case reach.End:
		if r.Unsynced(self.id) {
			r.mustConstruct(self, reach.Sync, 0, 0)
		}
	}
	return r.mustConstruct(self, kind, other, number)
}

func (r *parallelRun) mustConstruct(self *runTask, kind reach.Kind, other reach.Task, promise uint32) reach.Task {
	started, refusal := r.Construct(kind, self.id, other, promise, 0)
	if refusal.Refused() {
		r.t.Errorf("seed %d: %s: %s", r.seed, kind, refusal.Why)
	}
	return started
}

// A goroutine that no construct started takes part with its own constructs: what they
// order and what its locks order is known from then on, and nothing else.
func TestAdoptedTask(t *testing.T) {
	j := newJudged(t)
	t.Cleanup(j.closeSerial)
	main := j.Fork(j.Engine.Root(), 0)
	j.Parallel(main, 0, false)
	child := tell(t, j, reach.Spawn, main, 0, 0)
	j.access(child, shadow.Write, low, 1)
	tell(t, j, reach.End, child, 0, 0)
	tell(t, j, reach.Sync, main, 0, 0)
	j.Release(main, high)

	stranger := j.Fork(main, 0)
	for range 100 { // its own positions get ahead of the run's numbers
		j.Release(stranger, high+8)
	}
	if j.Structured(stranger) {
		t.Fatal("a goroutine belongs to the run before it uses a construct")
	}
	j.Parallel(stranger, 0, false)
	if _, now, why, refused := j.Answering(); now != engines.JoinTree || why.Why == "" || refused {
		t.Errorf("%s answers (%q, %v), want jointree and a reason", now, why.Why, refused)
	}
	own := tell(t, j, reach.Spawn, stranger, 0, 0)
	j.access(own, shadow.Read, low, 2) // main forked the stranger after its sync
	j.access(own, shadow.Write, low+1, 3)
	j.access(main, shadow.Write, low+2, 4)
	tell(t, j, reach.End, own, 0, 0)
	tell(t, j, reach.Sync, stranger, 0, 0)
	j.access(stranger, shadow.Read, low+1, 5)
	if len(j.races) != 0 {
		t.Errorf("races %v in ordered accesses", j.races)
	}
	j.access(stranger, shadow.Write, low+2, 6)
	j.access(main, shadow.Write, low+1, 7)
	if len(j.races) < 2 {
		t.Errorf("races %v, want some of bytes 1 and 2", j.races)
	}
}
