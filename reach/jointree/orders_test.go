package jointree_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/reachtest"
)

// both is a strand in the orders and in two oracles: of all edges, and of the certain
// ones.
type both struct {
	task         int
	strand       reach.Strand
	all, certain dag.Strand
}

// ordersRun runs a program of which some events are observed edges.
type ordersRun struct {
	jointree.Orders
	allOracle, certainOracle *dag.Tasks
	tasks                    map[int]reach.Task // by number of the program
	numbers                  map[int]int        // of the oracles
	running                  map[int]bool
	objects                  map[int]jointree.Object
	past                     []both
	splits, lucky            int
	wrong                    error // of an acquire that was refused, or was not
}

func newOrdersRun() *ordersRun {
	r := &ordersRun{
		allOracle: dag.NewTasks(), certainOracle: dag.NewTasks(),
		tasks: map[int]reach.Task{1: 1}, numbers: map[int]int{1: 1}, running: map[int]bool{1: true}, objects: map[int]jointree.Object{},
	}
	r.Init(1024)
	r.note(1)
	return r
}

func (r *ordersRun) now(t int) both {
	return both{t, r.Strand(r.tasks[t]), r.allOracle.Current(r.numbers[t]), r.certainOracle.Current(r.numbers[t])}
}

func (r *ordersRun) note(t int) { r.past = append(r.past, r.now(t)) }

func (r *ordersRun) object(n int) jointree.Object {
	if r.objects[n] == 0 {
		r.objects[n] = r.NewObject()
	}
	return r.objects[n]
}

// acquires acquires by an observed edge, and splits the orders when that is due.
func (r *ordersRun) acquires(t reach.Task, o jointree.Object, acquire func(reach.Task, jointree.Object) (news, ok bool)) {
	splits := r.Splits(t, o)
	if _, ok := acquire(t, o); ok == splits {
		r.wrong = fmt.Errorf("refused: %v, splits: %v", !ok, splits)
	}
	if !splits {
		return
	}
	r.Split()
	r.splits++
	if _, ok := acquire(t, o); !ok {
		r.wrong = errors.New("refused though the orders are split")
	}
}

func (r *ordersRun) step(e reachtest.Event, observed bool) {
	t, n := r.tasks[e.Task], r.numbers[e.Task]
	switch e.Op {
	case reachtest.Fork:
		r.tasks[e.Arg], r.running[e.Arg] = r.Fork(t), true
		r.numbers[e.Arg] = r.allOracle.Fork(n)
		r.certainOracle.Fork(n)
		if e.Arg%2 == 0 { // positions only have to grow
			r.SetIndex(r.tasks[e.Arg], uint32(e.Arg))
		}
		r.note(e.Arg)
	case reachtest.End:
		r.End(t)
		delete(r.running, e.Task)
	case reachtest.Free:
		r.FreeObject(r.objects[e.Arg])
		delete(r.objects, e.Arg)
		r.allOracle.Forget(e.Arg)
		r.certainOracle.Forget(e.Arg)
	case reachtest.Collect:
		r.collect(uint64(e.Arg))
	case reachtest.Release:
		r.allOracle.Release(n, e.Arg)
		r.Release(t, r.object(e.Arg))
		r.certainOracle.Release(n, e.Arg)
	case reachtest.Merge:
		r.allOracle.ReleaseMerge(n, e.Arg)
		r.ReleaseMerge(t, r.object(e.Arg))
		r.certainOracle.ReleaseMerge(n, e.Arg)
	case reachtest.Acquire:
		r.allOracle.Acquire(n, e.Arg)
		if observed {
			r.acquires(t, r.object(e.Arg), r.AcquireObserved)
		} else {
			r.Acquire(t, r.object(e.Arg))
			r.certainOracle.Acquire(n, e.Arg)
		}
	case reachtest.ReleaseAcquire:
		r.exchange(t, n, e.Arg, observed)
	}
	if e.Task != 0 && r.running[e.Task] {
		r.note(e.Task)
	}
}

// exchange swaps; an observed one with an odd object adds instead.
func (r *ordersRun) exchange(t reach.Task, n, o int, observed bool) {
	switch {
	case !observed:
		r.allOracle.ReleaseAcquire(n, o)
		r.certainOracle.ReleaseAcquire(n, o)
		r.ReleaseAcquire(t, r.object(o))
		return
	case o%2 == 0:
		r.allOracle.ReleaseAcquire(n, o)
		r.certainOracle.Release(n, o)
		r.acquires(t, r.object(o), r.ReleaseAcquireObserved)
	default:
		r.allOracle.Acquire(n, o)
		r.allOracle.Release(n, o)
		r.certainOracle.ReleaseMerge(n, o)
		r.acquires(t, r.object(o), r.AcquireObserved)
		r.ReleaseMore(t, r.object(o))
	}
}

// collect forgets about half of what can be asked about.
func (r *ordersRun) collect(seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	kept := r.past[:0]
	for _, u := range r.past {
		if rnd.IntN(2) == 0 {
			kept = append(kept, u)
		}
	}
	r.past = kept
	r.BeginMark()
	for _, u := range r.past {
		r.Mark(u.strand)
	}
	r.Sweep()
}

// check asks about all that is remembered and all current strands.
func (r *ordersRun) check() error {
	for t := range r.running {
		v := r.now(t)
		for _, u := range r.past {
			if u.strand == v.strand {
				continue
			}
			all := r.Precedes(u.strand, r.tasks[t])
			if want := u.all == v.all || r.allOracle.Precedes(u.all, v.all); all != want {
				return fmt.Errorf("all edges: %+v precedes %+v = %v", u, v, all)
			}
			certain := r.Certain(u.strand, r.tasks[t])
			if !all {
				continue
			}
			if want := u.certain == v.certain || r.certainOracle.Precedes(u.certain, v.certain); certain != want {
				return fmt.Errorf("certain edges: %+v precedes %+v = %v", u, v, certain)
			}
			if !certain {
				r.lucky++
			}
		}
	}
	return nil
}

func runOrders(p reachtest.Program, seed uint64) (r *ordersRun, err error) {
	rnd := rand.New(rand.NewPCG(seed, 9))
	r = newOrdersRun()
	defer r.Close()
	luck := rnd.IntN(4)
	for i, e := range p {
		observed := rnd.IntN(4) < luck
		switch e.Op {
		case reachtest.Check:
			err = r.check()
		case reachtest.AcquireAll: // covers what its tasks still do: no oracle says so
		default:
			r.step(e, observed)
			err = r.wrong
		}
		if err != nil {
			return r, fmt.Errorf("event %d: %w", i, err)
		}
	}
	return r, r.check()
}

// Random programs in which any acquire may be an observed edge: what the
// two orders say is what two dags say, of all strands that are remembered, through
// collections, and whenever the orders are split.
func TestOrders(t *testing.T) {
	first, count := soak.Seeds(3000)
	splits, lucky := 0, 0
	seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
		_, err := runOrders(reachtest.FromSeed(seed, 160), seed)
		return err
	})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, reachtest.FromSeed(seed, 160))
	}
	for seed := range uint64(300) {
		r, _ := runOrders(reachtest.FromSeed(seed, 160), seed)
		splits, lucky = splits+r.splits, lucky+r.lucky
	}
	if splits < 50 || lucky < 1000 {
		t.Errorf("%d splits, %d pairs ordered by luck: the test is blind", splits, lucky)
	}
}

// A program without observed edges has one order.
func TestOrdersAreOneWithoutLuck(t *testing.T) {
	for seed := range uint64(300) {
		var o jointree.Orders
		o.Init(64)
		ob := o.NewObject()
		a := o.Fork(o.Root())
		for range seed % 3 {
			o.Release(a, ob)
			if o.Splits(a, ob) {
				t.Fatal("what a task released itself splits the orders")
			}
			if news, ok := o.AcquireObserved(a, ob); news || !ok {
				t.Fatal("what a task released itself is news")
			}
		}
		o.ReleaseMerge(a, ob)
		o.Acquire(o.Root(), ob)
		if o.Splits(o.Root(), ob) || o.IsSplit() {
			t.Fatal("the orders are split though nothing was learned by luck")
		}
		o.Close()
	}
}

// While the orders are one, an observed acquire teaches nothing, whatever another task
// releases meanwhile.
func TestObservedAcquireIsOneStep(t *testing.T) {
	acquires := []func(*jointree.Orders, reach.Task, jointree.Object) (news, ok bool){
		(*jointree.Orders).AcquireObserved, (*jointree.Orders).ReleaseAcquireObserved,
	}
	for round := range 20 { // a look before the acquire is noticed by one in three
		acquire := acquires[round%2]
		var o jointree.Orders
		o.Init(64)
		a, b := o.Fork(o.Root()), o.Fork(o.Root())
		var objects [20_000]jointree.Object
		for i := range objects {
			objects[i] = o.NewObject()
		}
		var released atomic.Int64
		go func() {
			for i, ob := range objects {
				for range i % 64 { // meets an acquire in another place each time
					runtime.KeepAlive(i)
				}
				o.Release(b, ob)
				released.Store(int64(i + 1))
			}
		}()
		for i, ob := range objects {
			for ok := true; ok && released.Load() <= int64(i); {
				var news bool
				if news, ok = acquire(&o, a, ob); news {
					t.Fatal("an observed acquire taught something before the orders were split")
				}
			}
		}
		for released.Load() < int64(len(objects)) {
			runtime.Gosched()
		}
		if o.Precedes(o.Strand(b), a) {
			t.Fatal("a task knows what only an observed edge says, and the orders are one")
		}
		o.Close()
	}
}
