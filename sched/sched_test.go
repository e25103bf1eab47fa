package sched_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/structtest"
	"github.com/detrace/detrace/sched"
)

// replayed is a random program being run for real: each task does its own events, in
// its own order, and the scheduler decides how tasks follow each other.
type replayed struct {
	*sched.Scheduler
	*event.Binder
	todo    map[uint32][]event.Event // by task
	out     structtest.Program
	waiting map[uint32]*wait // by task
}

type wait struct {
	sched.Queue
	until event.Event
}

func (r *replayed) emit(e event.Event) {
	if err := r.Control(e, func(*reach.Construct) reach.Refusal { return reach.Refusal{} }); err != nil {
		panic(err)
	}
	e.Line = len(r.out) + 1
	r.out = append(r.out, e)
}

func (r *replayed) run(t uint32) {
	for _, e := range r.todo[t] {
		if !r.possible(e) {
			r.block(e)
		}
		r.emit(e)
		switch kind, _ := e.Kind.Construct(); {
		case kind.Forks():
			r.Start(func() { r.run(e.Arg) })
		case kind == reach.Set:
			r.Wake(r.happened()...)
		case kind == reach.End:
			r.End(r.happened()...)
		}
	}
}

func (r *replayed) block(e event.Event) {
	if e.Kind == event.Of(reach.Await) {
		r.emit(event.Event{Kind: event.Of(reach.Block), Task: e.Task, Arg: e.Arg})
	}
	w := &wait{until: e}
	r.waiting[e.Task] = w
	if err := r.Wait(&w.Queue, e.String()); err != nil {
		panic(err)
	}
}

// happened are the queues of those that need not wait any more.
func (r *replayed) happened() (q []*sched.Queue) {
	for t, w := range r.waiting {
		if r.possible(w.until) {
			delete(r.waiting, t)
			q = append(q, &w.Queue)
		}
	}
	return q
}

// possible reports whether e's task can do it without waiting.
func (r *replayed) possible(e event.Event) bool {
	task := r.Task(e.Task)
	switch kind, _ := e.Kind.Construct(); kind {
	case reach.Await:
		_, set := r.Run.IsSet(r.Promise(e.Arg))
		return set
	case reach.Get:
		return r.Run.Ended(r.Task(e.Arg))
	case reach.Sync, reach.End:
		return r.Run.Owing(task) == 0
	case reach.EndFinish:
		running, _ := r.Run.Finishing(task)
		return running == 0
	}
	return true
}

// The order that the scheduler gives a program's tasks is the one in which the
// generator, which states the rule on its own, made it.
func TestFollowsTheRule(t *testing.T) {
	ran := 0
	for _, class := range []structtest.Class{structtest.SpawnSync, structtest.AsyncFinish, structtest.GeneralFutures, structtest.Promises} {
		for seed := range uint64(1500) {
			p := structtest.FromSeed(seed, 60, class, reach.Stacked)
			if !whole(p) {
				continue
			}
			ran++
			s := sched.New()
			if seed%3 == 0 {
				s.HandOver = new(turns).handOver
			}
			if (class.Name != structtest.SpawnSync.Name && class.Name != structtest.AsyncFinish.Name) || seed%2 == 1 {
				s.Switching()
			}
			if got := replay(p, s); got != p.String() {
				t.Fatalf("%s, seed %d: got\n%swant\n%s", class.Name, seed, got, p)
			}
		}
	}
	if ran < 2000 {
		t.Errorf("only %d programs ended", ran)
	}
}

// whole reports whether every task of p ends.
func whole(p structtest.Program) bool {
	started, ended := 1, 0
	for _, e := range p {
		kind, _ := e.Kind.Construct()
		if kind.Forks() {
			started++
		}
		if kind == reach.End {
			ended++
		}
	}
	return started == ended
}

func replay(p structtest.Program, s *sched.Scheduler) string {
	r := &replayed{
		Scheduler: s, Binder: event.NewBinder(uint32(len(p)) + 2),
		todo: map[uint32][]event.Event{}, waiting: map[uint32]*wait{},
	}
	defer r.Binder.Close()
	defer r.Scheduler.Close()
	for _, e := range p {
		if e.Kind != event.Of(reach.Block) {
			r.todo[e.Task] = append(r.todo[e.Task], e)
		}
	}
	r.run(0)
	return r.out.String()
}

// turns are those that have come, for goroutines that have not taken them yet.
type turns struct {
	mu   sync.Mutex
	came map[*uintptr]bool
	any  *sync.Cond
}

// handOver is a [sched.Scheduler.HandOver].
func (t *turns) handOver(next, own *uintptr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.came == nil {
		t.came, t.any = map[*uintptr]bool{}, sync.NewCond(&t.mu)
	}
	if next != nil {
		if t.came[next] {
			panic("a turn comes twice")
		}
		t.came[next] = true
		t.any.Broadcast()
	}
	for own != nil && !t.came[own] {
		t.any.Wait()
	}
	delete(t.came, own)
}

func TestDeadlock(t *testing.T) {
	s := sched.New()
	s.Switching()
	var a, b sched.Queue
	s.Start(func() { s.Wait(&a, "task 1 waits for a") })
	s.Start(func() {
		s.Wait(&b, "task 2 waits for b")
		s.Wait(&a, "task 2 waits for a")
	})
	s.Wake(&b)
	var d *sched.Deadlock
	err := s.Wait(&a, "main waits for a")
	if !errors.As(err, &d) || !slices.Equal(d.Waiting, []string{"task 1 waits for a", "task 2 waits for a", "main waits for a"}) {
		t.Errorf("got %v", err)
	}
}

// A chain of tasks, each woken by the end of the one before, leaves no stack behind.
func TestLongChainOfWakes(t *testing.T) {
	const n = 100_000
	s := sched.New()
	s.Switching()
	queues := make([]sched.Queue, n+1)
	last := 0
	for i := range n {
		s.Start(func() {
			s.Wait(&queues[i], "the one before")
			last = i
			s.End(&queues[i+1])
		})
	}
	s.Wake(&queues[0])
	if last != n-1 {
		t.Errorf("the chain ends at %d", last)
	}
	s.Close()
}

func BenchmarkStartNested(b *testing.B) {
	s := sched.New()
	for range b.N {
		s.Start(func() {})
	}
}

func BenchmarkStartCoroutine(b *testing.B) {
	s := sched.New()
	s.Switching()
	for range b.N {
		s.Start(func() {})
	}
}
