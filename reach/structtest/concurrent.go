package structtest

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
)

const (
	askers  = 3
	perStep = 6 // queries between two events, by all askers together
)

// Concurrent is Conform for engines that answer about any two strands while
// constructs are told: a few goroutines ask about random pairs of the strands that
// have started, the latest more often, while one runs the program; at the end the
// answers are compared with the oracle's. It is meant for runs with the race detector
// too.
func Concurrent(t *testing.T, n, events int, fresh New, classes ...Class) {
	t.Helper()
	for _, class := range classes {
		t.Run(class.Name, func(t *testing.T) {
			first, count := soak.Seeds(n / len(classes))
			total := 0
			for seed := first; seed < first+count; seed++ {
				p := FromSeed(seed, events, class, reach.AnyOrder)
				r := &concurrentRun{Program: p, started: make([]reach.Strand, 2*len(p)+4)}
				asked, err := r.run(fresh)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, p)
				}
				total += asked
			}
			t.Logf("%d programs from seed %d, %d queries", count, first, total)
		})
	}
}

type concurrentRun struct {
	Program
	engine  Engine
	oracle  *dag.Structured
	started []reach.Strand
	count   atomic.Int64 // of them; what is below does not change any more
	asked   atomic.Int64
	over    atomic.Bool
}

type answer struct {
	u, v     reach.Strand
	precedes bool
}

func (r *concurrentRun) run(fresh New) (asked int, err error) {
	r.engine, r.oracle = fresh(uint32(len(r.Program))+2, uint32(3*len(r.Program))+2), dag.NewStructured()
	defer r.engine.Close()
	var answers [askers][]answer
	var wg sync.WaitGroup
	r.begun(reach.Root)
	for i := range answers {
		wg.Go(func() { answers[i] = r.ask(rand.New(rand.NewPCG(uint64(i), 3))) })
	}
	err = r.tell()
	r.over.Store(true)
	wg.Wait()
	if err != nil {
		return 0, err
	}
	for _, list := range answers {
		asked += len(list)
		for _, a := range list {
			want := a.u == a.v || r.oracle.Precedes(dag.Strand(a.u.Index()), dag.Strand(a.v.Index()))
			if a.precedes != want {
				return 0, &Mismatch{Engine: r.engine.Traits().Name, Events: len(r.Program), U: a.u, V: a.v, Want: want}
			}
		}
	}
	return asked, nil
}

// begun lets strands be asked about.
func (r *concurrentRun) begun(strands ...reach.Strand) {
	n := r.count.Load()
	for _, s := range strands {
		if s != 0 {
			r.started[n] = s
			n++
		}
	}
	r.count.Store(n)
}

// tell runs the program, no faster than that each event is followed by some queries.
func (r *concurrentRun) tell() error {
	binder := event.NewBinder(uint32(len(r.Program)) + 2)
	defer binder.Close()
	for i, e := range r.Program {
		err := binder.Control(e, func(c *reach.Construct) reach.Refusal {
			r.oracle.Do(c)
			refusal := r.engine.Do(c)
			if !refusal.Refused() {
				r.begun(c.First, c.After)
			}
			return refusal
		})
		if err != nil {
			return err
		}
		for r.asked.Load() < int64(perStep*(i+1)) {
			runtime.Gosched()
		}
	}
	return nil
}

// ask asks until the program is over.
func (r *concurrentRun) ask(random *rand.Rand) (answers []answer) {
	for !r.over.Load() {
		n := int(r.count.Load())
		u, v := r.started[random.IntN(n)], r.started[n-1-random.IntN(min(n, 16))]
		if random.IntN(2) == 0 {
			u, v = v, u
		}
		answers = append(answers, answer{u: u, v: v, precedes: r.engine.Precedes(u, v)})
		r.asked.Add(1)
	}
	return answers
}
