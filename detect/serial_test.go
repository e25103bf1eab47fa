package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/structtest"
	"github.com/detrace/detrace/shadow"
)

// A serial run with random accesses has the oracle's racy bytes under every engine in
// whose class it is, and under whatever takes over outside of it.
func TestSerialRuns(t *testing.T) {
	for _, c := range []struct {
		engine  engines.ID
		order   reach.Order
		classes []structtest.Class
	}{
		{engines.SPBags, reach.DepthFirst, []structtest.Class{structtest.SpawnSync, structtest.Everything}},
		{engines.MultiBags, reach.DepthFirst, []structtest.Class{structtest.StructuredFutures, structtest.GeneralFutures, structtest.AsyncFinish}},
		{engines.MultiBagsPlus, reach.DepthFirst, []structtest.Class{structtest.GeneralFutures}},
		{engines.RSketch, reach.Stacked, []structtest.Class{structtest.Promises, structtest.GeneralFutures}},
		{engines.Lattice, reach.DepthFirst, []structtest.Class{structtest.Lattice}},
		{engines.DRDP, reach.Stacked, []structtest.Class{structtest.Promises, structtest.SpawnSync}},
		{engines.Order, reach.DepthFirst, []structtest.Class{structtest.AsyncFinish, structtest.SpawnSync}},
		{engines.SFOrder, reach.DepthFirst, []structtest.Class{structtest.StructuredFutures}},
		{engines.FOrder, reach.Stacked, []structtest.Class{structtest.Promises}},
		{engines.JoinTree, reach.Stacked, []structtest.Class{structtest.Everything}},
		{engines.MultiBags, reach.Stacked, []structtest.Class{structtest.Everything, structtest.Promises}},
		{engines.SPBags, reach.DepthFirst, []structtest.Class{structtest.Joined}},
		{engines.MultiBagsPlus, reach.DepthFirst, []structtest.Class{structtest.JoinedFutures}},
		{0, reach.Stacked, []structtest.Class{structtest.Everything, structtest.Promises, structtest.AsyncFinish, structtest.StructuredFutures}},
		{0, reach.DepthFirst, []structtest.Class{structtest.Lattice}},
	} {
		for _, class := range c.classes {
			for _, library := range []bool{false, true} {
				order := c.order
				if library { // what waits for the library keeps the processor
					order = reach.DepthFirst
				}
				t.Run(fmt.Sprint(c.engine, " ", class.Name, " ", library), func(t *testing.T) {
					first, count := soak.Seeds(60)
					for seed := first; seed < first+count; seed++ {
						// A test of its own gives the memory back.
						t.Run(fmt.Sprint(seed), func(t *testing.T) {
							p := structtest.FromSeed(seed, 60, class, order)
							got, want := racyBytes(t, p, seed, c.engine, library)
							if !slices.Equal(got, want) {
								t.Fatalf("racy bytes %#x, want %#x\n%s", got, want, p)
							}
						})
					}
				})
			}
		}
	}
}

// racyBytes runs p serially and under the oracle, with an access of the running task
// before every event. library means that promises are no constructs but something of
// the library that orders.
func racyBytes(t *testing.T, p structtest.Program, seed uint64, id engines.ID, library bool) (got, want []uint64) {
	const few = 6 // addresses, so that reads meet the same reads of others
	r := rand.New(rand.NewPCG(seed, 3))
	j := newJudged(t)
	if seed%4 < 2 {
		j.eager()
	}
	t.Cleanup(j.closeSerial)
	main := j.Fork(j.Engine.Root(), 0)
	j.Serial(main, id)
	j.serial.forced = false
	oracle, binder := dag.NewStructured(), event.NewBinder(uint32(len(p))+2)
	defer binder.Close()
	tasks, promises := map[uint32]reach.Task{0: main}, map[uint32]uint32{}
	for i, e := range p {
		if task := tasks[e.Task]; e.Kind != event.Promise {
			addr, op := low+uintptr(r.IntN(few+18*int(seed%2))), shadow.Op(1+r.IntN(3)/2)
			if s, err := binder.Access(event.Event{Task: e.Task}); err == nil {
				j.access(task, op, addr, uintptr(1+i%2))
				oracle.Access(dag.Access{Strand: dag.Strand(s.Index()), Op: dag.Op(op), Addr: uint64(addr), Size: 1})
			}
		}
		if err := binder.Control(e, func(c *reach.Construct) reach.Refusal { oracle.Do(c); return reach.Refusal{} }); err != nil {
			t.Fatal(err)
		}
		do(t, j, e, tasks, promises, library)
	}
	for _, race := range j.races {
		got = append(got, uint64(race.addr))
	}
	slices.Sort(got)
	return slices.Compact(got), oracle.RacyBytes()
}

// Who comes after all of a journal in a serial run asks once, and is not sent to the history for the next one.
func TestJournalsOfSerialRuns(t *testing.T) {
	j := newJudged(t).eager()
	if !j.Detector.fences {
		t.Skip("no membarrier(2)")
	}
	t.Cleanup(j.closeSerial)
	main := j.Fork(j.Engine.Root(), 0)
	j.Serial(main, 0)
	words := []uintptr{low, low + 8, low + 16}
	for _, word := range words {
		j.write(main, word, 1)
		j.write(main, word+4, 2) // which splits the line
	}
	known := 12 // rounds, after which each thread has been told of such accesses
	for round := range known + 6 {
		j.Construct(reach.Finish, main, 0, 0, 0)
		child, _ := j.Construct(reach.Async, main, 0, 0, 0)
		for i, word := range words {
			for _, op := range []shadow.Op{shadow.Read, shadow.Write} {
				if slow := j.access(child, op, word, 3+uintptr(op)); slow && i > 0 && round >= known {
					t.Errorf("round %d: access %d to word %d came to the history", round, op, i)
				}
			}
		}
		j.Construct(reach.End, child, 0, 0, 0)
		j.Construct(reach.EndFinish, main, 0, 0, 0)
	}
	if !shadow.IsJournal(j.state(low)) || len(j.races) != 0 {
		t.Errorf("state %#x, races %v", j.state(low), j.races)
	}
	j.Construct(reach.Finish, main, 0, 0, 0)
	child, _ := j.Construct(reach.Async, main, 0, 0, 0)
	j.write(child, low, 5)
	j.Construct(reach.End, child, 0, 0, 0)
	if j.read(main, low, 4); len(j.races) == 0 {
		t.Error("the write of a child is taken to precede before the finish has ended")
	}
}

// Of two siblings that read the same, one comes to precede a write and the other does not:
// by a future that it created, or by a lock that it released. The read of the other must
// not have been taken for as good.
func TestReadsOfSiblings(t *testing.T) {
	for name, lets := range map[string]func(j *judged, first reach.Task) (joins func(main reach.Task)){
		"future": func(j *judged, first reach.Task) func(reach.Task) {
			future := tell(t, j, reach.Create, first, 0, 0)
			tell(t, j, reach.End, future, 0, 0)
			return func(main reach.Task) { tell(t, j, reach.Get, main, future, 0) }
		},
		"lock": func(j *judged, first reach.Task) func(reach.Task) {
			j.Release(first, high)
			return func(main reach.Task) { j.Acquire(main, high) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJudged(t)
			t.Cleanup(j.closeSerial)
			main := j.Fork(j.Engine.Root(), 0)
			j.Serial(main, 0)
			first := tell(t, j, reach.Spawn, main, 0, 0)
			j.access(first, shadow.Read, low, 1)
			joins := lets(j, first)
			tell(t, j, reach.End, first, 0, 0)
			second := tell(t, j, reach.Spawn, main, 0, 0)
			j.access(second, shadow.Read, low, 1)
			tell(t, j, reach.End, second, 0, 0)
			joins(main)
			j.access(main, shadow.Write, low, 2)
			if len(j.races) != 1 || j.races[0].first.Strand.Task() != second {
				t.Errorf("races %+v, want one with the read of task %d alone", j.races, second)
			}
		})
	}
}

// closeSerial gives the address space of the serial run back.
func (d *Detector) closeSerial() {
	s := &d.serial
	s.run.Close()
	s.number.Close()
	s.native.Close()
	s.floor.Close()
	s.ends.Close()
	s.syncs.Close()
	s.finishes.Close()
	s.within.Close()
	s.promises.Close()
	s.forks.Close()
	if e := s.any.Made(); e != nil {
		e.(interface{ Close() }).Close()
	}
}

// do is event e in a serial run.
func do(t *testing.T, j *judged, e event.Event, tasks map[uint32]reach.Task, promises map[uint32]uint32, library bool) {
	task := tasks[e.Task]
	kind, ok := e.Kind.Construct()
	at := high + 8*uintptr(e.Arg)
	switch {
	case !ok:
		promises[e.Arg] = j.NewPromise()
		return
	case library && kind == reach.Set:
		j.Release(task, at)
		return
	case library && kind == reach.Await:
		j.Acquire(task, at)
		return
	case library && kind == reach.Block:
		return
	case kind == reach.End && j.Unsynced(task):
		tell(t, j, reach.Sync, task, 0, 0)
	}
	other := reach.Task(0)
	if kind == reach.Get || kind == reach.Join {
		other = tasks[e.Arg]
	}
	if started := tell(t, j, kind, task, other, promises[e.Arg]); kind.Forks() {
		tasks[e.Arg] = started
	}
}

func tell(t *testing.T, j *judged, kind reach.Kind, task, other reach.Task, promise uint32) reach.Task {
	t.Helper()
	j.Enter(j.proc(task))
	started, refusal := j.Construct(kind, task, other, promise, 0)
	j.Leave(j.proc(task))
	if refusal.Refused() {
		t.Fatalf("%s: %s", kind, refusal.Why)
	}
	return started
}
