// Package structtest judges the engines of structured programs: it runs random
// programs of a class through an engine and the oracle (package dag) and compares
// the answers about all pairs of strands. A failure is shrunk to a minimal program,
// which is printed as a text trace.
package structtest

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
)

// Engine is what is judged. New makes it with room for so many tasks and strands; Close is
// called when a program has run.
type Engine interface {
	reach.Engine
	Close()
}

// New makes an engine.
type New func(maxTasks, maxStrands uint32) Engine

// Mismatch is an answer that differs from the oracle's.
type Mismatch struct {
	Engine string
	Events int // how many had happened
	U, V   reach.Strand
	Want   bool
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("%s: after %d events: strand %d of task %d precedes strand %d of task %d = %v, want %v",
		m.Engine, m.Events, m.U.Index(), m.U.Task()-1, m.V.Index(), m.V.Task()-1, !m.Want, m.Want)
}

// Conform runs n random programs of each class, which an ordinary run does and -soak
// multiplies, of about events events, through the engine and the oracle.
func Conform(t *testing.T, n, events int, fresh New, classes ...Class) {
	t.Helper()
	ConformOrRefuse(t, n, events, fresh, "", classes...)
}

// ConformOrRefuse is Conform for classes that the engine takes in part: it may refuse
// a program, up to nine tenths of them, for a reason that contains why; its answers until
// then are judged.
func ConformOrRefuse(t *testing.T, n, events int, fresh New, why string, classes ...Class) {
	t.Helper()
	e := fresh(1, 1)
	traits := e.Traits()
	e.Close()
	for _, class := range classes {
		t.Run(class.Name, func(t *testing.T) {
			var refusals atomic.Uint64
			first, count := soak.Seeds(n / len(classes))
			seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
				err := Run(FromSeed(seed, events, class, traits.Order), fresh)
				if refused := (*event.Error)(nil); why != "" && errors.As(err, &refused) && strings.Contains(refused.Why, why) {
					refusals.Add(1)
					return nil
				}
				return err
			})
			if err != nil {
				p := FromSeed(seed, events, class, traits.Order)
				small, err := Shrink(p, fresh, err)
				t.Fatalf("seed %d (%d events, shrunk to %d): %v\n%s", seed, len(p), len(small), err, small)
			}
			if 10*refusals.Load() > 9*count {
				t.Errorf("%d of %d programs are refused", refusals.Load(), count)
			}
			t.Logf("%d programs from seed %d, %d refused", count, first, refusals.Load())
		})
	}
}

// Run runs p through an engine and the oracle and returns the first answer that
// differs, as a *Mismatch, or the event that the engine refused or that is
// impossible, as an *event.Error; nil if there is neither.
//
// An engine that takes only current strands on the right is asked, before every
// event, which strands that have run precede the one that runs. The others are
// asked about every pair of started strands, both ways.
func Run(p Program, fresh New) error {
	binder := event.NewBinder(uint32(len(p)) + 2)
	defer binder.Close()
	engine := fresh(uint32(len(p))+2, uint32(3*len(p))+2)
	defer engine.Close()
	r := &run{Program: p, binder: binder, engine: engine, traits: engine.Traits(), oracle: dag.NewStructured()}
	r.started = append(r.started, reach.Root)
	for i, e := range p {
		r.events = i
		if err := r.step(e); err != nil {
			return err
		}
	}
	return r.all()
}

// run is a program being run.
type run struct {
	Program
	events  int
	binder  *event.Binder
	engine  Engine
	traits  reach.Traits
	oracle  *dag.Structured
	started []reach.Strand // they may be asked about
}

func (r *run) step(e event.Event) error {
	if t := r.binder.Task(e.Task); t != 0 && !r.traits.Pairs && !r.binder.Run.Ended(t) {
		if err := r.current(r.binder.Run.Current(t)); err != nil {
			return err
		}
	}
	var wrong error
	err := r.binder.Control(e, func(c *reach.Construct) reach.Refusal {
		r.oracle.Do(c)
		if refusal := r.engine.Do(c); refusal.Refused() {
			return refusal
		}
		if r.traits.Pairs && wrong == nil {
			wrong = r.begun(c.First, c.After)
		}
		return reach.Refusal{}
	})
	if err == nil {
		err = wrong
	}
	if err == nil && r.traits.Pairs && r.events%64 == 17 {
		err = r.all()
	}
	return err
}

// current compares what precedes v, which runs.
func (r *run) current(v reach.Strand) error {
	for _, u := range r.started {
		if m := r.compare(u, v); m != nil {
			return m
		}
	}
	if r.started[len(r.started)-1] != v { // it may be in there, further ahead
		r.started = append(r.started, v)
	}
	return nil
}

// begun compares new strands with all others.
func (r *run) begun(strands ...reach.Strand) error {
	for _, v := range strands {
		if v == 0 {
			continue
		}
		r.started = append(r.started, v)
		for _, u := range r.started {
			if m := r.compare(u, v); m != nil {
				return m
			}
			if m := r.compare(v, u); m != nil {
				return m
			}
		}
	}
	return nil
}

// all compares all pairs.
func (r *run) all() error {
	if !r.traits.Pairs {
		return nil
	}
	for _, v := range r.started {
		for _, u := range r.started {
			if m := r.compare(u, v); m != nil {
				return m
			}
		}
	}
	return nil
}

func (r *run) compare(u, v reach.Strand) error {
	want := u == v || r.oracle.Precedes(dag.Strand(u.Index()), dag.Strand(v.Index()))
	if r.engine.Precedes(u, v) == want {
		return nil
	}
	return &Mismatch{Engine: r.traits.Name, Events: r.events, U: u, V: v, Want: want}
}

// Shrink removes events of a program that fails until none can go without the
// failure, of whatever pair, going too.
func Shrink(p Program, fresh New, failure error) (Program, error) {
	var mismatch *Mismatch
	wrong := errors.As(failure, &mismatch)
	e := fresh(1, 1)
	order := e.Traits().Order
	e.Close()
	return Reduce(p, order, failure, func(q Program) error {
		if err := Run(q, fresh); err != nil && errors.As(err, &mismatch) == wrong {
			return err
		}
		return nil
	})
}
