package structured

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/history/historytest"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/structtest"
)

// outcome is what a judge says of a program.
type outcome struct {
	races []Race
	racy  []Range
	stats Stats
	steps []Escalation
}

// run judges a program. Tasks may be left running.
func run(engine string, p structtest.Program) (outcome, error) {
	var o outcome
	room := uint32(len(p)) + 2
	j, err := New(Config{Engine: engine, Tasks: room, Strands: 4 * room, Race: func(r Race) { o.races = append(o.races, r) }})
	if err != nil {
		return o, err
	}
	defer j.Close()
	for _, e := range p {
		if err := j.Do(e); err != nil {
			return o, err
		}
	}
	var unended *event.Error
	if err := j.End(); err != nil && !errors.As(err, &unended) {
		return o, err
	}
	o.racy, o.stats, o.steps = j.Racy().Ranges(), j.Stats(), j.Escalations()
	return o, nil
}

// conform runs a program under an engine and the oracle. It must take it.
func conform(p structtest.Program, engine string) (outcome, error) {
	want, err := run(Oracle, p)
	if err != nil {
		return want, err
	}
	return compare(p, engine, want)
}

// compare runs a program under an engine and compares the outcome with what is known to
// be right, with all pairs.
func compare(p structtest.Program, engine string, want outcome) (outcome, error) {
	got, err := run(engine, p)
	if err != nil {
		return got, fmt.Errorf("%s: %w", engine, err)
	}
	if !slices.Equal(got.racy, want.racy) {
		return got, fmt.Errorf("%s: racy bytes %x, want %x", engine, got.racy, want.racy)
	}
	type pair struct {
		first, second Access
		addr          uint64
	}
	real := make(map[pair]bool)
	for _, r := range want.races {
		for i := range r.Size {
			real[pair{r.First, r.Second, r.Addr + i}] = true
		}
	}
	for _, r := range got.races {
		for i := range r.Size {
			if !real[pair{r.First, r.Second, r.Addr + i}] {
				return got, fmt.Errorf("%s: lines %d and %d are reported at %#x, and do not race", engine, r.First.Line, r.Second.Line, r.Addr+i)
			}
		}
	}
	return got, nil
}

// takes says what random programs each engine must take.
var takes = []struct {
	engine  string
	order   reach.Order
	classes []structtest.Class
}{
	{"spbags", reach.DepthFirst, []structtest.Class{structtest.SpawnSync}},
	{"lattice", reach.DepthFirst, []structtest.Class{structtest.Lattice}},
	{"multibags", reach.DepthFirst, []structtest.Class{structtest.SpawnSync, structtest.StructuredFutures}},
	{"multibagsplus", reach.DepthFirst, []structtest.Class{structtest.StructuredFutures, structtest.GeneralFutures}},
	{"drdp", reach.Stacked, []structtest.Class{structtest.Promises, structtest.AsyncFinish, structtest.GeneralFutures}},
	{"order", reach.AnyOrder, []structtest.Class{structtest.SpawnSync, structtest.AsyncFinish}},
	{"sforder", reach.AnyOrder, []structtest.Class{structtest.SpawnSync, structtest.StructuredFutures}},
	{"rsketch", reach.Stacked, []structtest.Class{structtest.GeneralFutures, structtest.Promises}},
	{"rsketch", reach.AnyOrder, []structtest.Class{structtest.GeneralFutures, structtest.Promises}},
	{"forder", reach.AnyOrder, []structtest.Class{structtest.GeneralFutures, structtest.Promises}},
	{"jointree", reach.AnyOrder, []structtest.Class{structtest.Everything}},
	{"vclock", reach.AnyOrder, []structtest.Class{structtest.Everything}},
	{Auto, reach.DepthFirst, []structtest.Class{structtest.SpawnSync, structtest.StructuredFutures, structtest.GeneralFutures, structtest.Lattice, structtest.AsyncFinish, structtest.Everything}},
	{Auto, reach.Stacked, []structtest.Class{structtest.Promises, structtest.Everything}},
	{Auto, reach.AnyOrder, []structtest.Class{structtest.SpawnSync, structtest.StructuredFutures, structtest.GeneralFutures, structtest.Promises, structtest.Lattice, structtest.Everything}},
}

func TestEveryEngineFindsTheRacyBytes(t *testing.T) {
	for _, c := range takes {
		for _, class := range c.classes {
			t.Run(fmt.Sprintf("%s/%s/%d", c.engine, class.Name, c.order), func(t *testing.T) {
				try := func(seed uint64) error {
					_, err := conform(historytest.FromSeed(seed, 50, class, c.order), c.engine)
					return err
				}
				first, count := soak.Seeds(300)
				seed, err := soak.FirstFailure(first, count, try)
				if err == nil {
					return
				}
				small, err := shrink(seed, class, c.order, err, func(q structtest.Program) error {
					_, err := conform(q, c.engine)
					return err
				})
				t.Fatalf("seed %d: %v\n%s", seed, err, small)
			})
		}
	}
}

// shrink shrinks the program of a seed for which check fails with err, to one that is
// refused if that one was.
func shrink(seed uint64, class structtest.Class, order reach.Order, err error, check func(structtest.Program) error) (structtest.Program, error) {
	var refused *Refused
	wasRefused := errors.As(err, &refused)
	return structtest.Reduce(historytest.FromSeed(seed, 50, class, order), order, err, func(q structtest.Program) error {
		err := check(q)
		if errors.As(err, &refused) != wasRefused {
			return nil
		}
		return err
	})
}

// TestEveryEngineRefusesOrIsRight gives programs of all classes in all orders to all
// engines.
func TestEveryEngineRefusesOrIsRight(t *testing.T) {
	classes := []structtest.Class{structtest.SpawnSync, structtest.AsyncFinish, structtest.StructuredFutures,
		structtest.GeneralFutures, structtest.Promises, structtest.Lattice, structtest.Everything}
	for _, engine := range Engines() {
		t.Run(engine, func(t *testing.T) {
			var accepted, racy atomic.Int64
			for _, class := range classes {
				for _, order := range []reach.Order{reach.DepthFirst, reach.Stacked, reach.AnyOrder} {
					check := func(p structtest.Program) error {
						got, err := conform(p, engine)
						var refused *Refused
						if errors.As(err, &refused) {
							return nil
						}
						accepted.Add(1)
						if len(got.racy) > 0 {
							racy.Add(1)
						}
						return err
					}
					first, count := soak.Seeds(60)
					if seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
						return check(historytest.FromSeed(seed, 40, class, order))
					}); err != nil {
						small, err := shrink(seed, class, order, err, check)
						t.Fatalf("%s, order %d, seed %d: %v\n%s", class.Name, order, seed, err, small)
					}
				}
			}
			if accepted.Load() < 60 || racy.Load() < 20 {
				t.Errorf("only %d programs were taken, %d of them with races", accepted.Load(), racy.Load())
			}
			t.Logf("%d programs taken, %d of them with races", accepted.Load(), racy.Load())
		})
	}
}
