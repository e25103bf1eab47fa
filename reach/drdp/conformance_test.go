package drdp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/drdp"
	"github.com/detrace/detrace/reach/structtest"
)

func fresh(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(drdp.Engine)
	e.Init(maxTasks, maxStrands)
	return e
}

func slow(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(drdp.Slow)
	e.Init(maxTasks, maxStrands)
	return e
}

var classes = []structtest.Class{
	structtest.SpawnSync, structtest.AsyncFinish, structtest.StructuredFutures, structtest.GeneralFutures, structtest.Promises,
}

func TestConformance(t *testing.T) {
	structtest.Conform(t, 12000, 80, fresh, classes...)
}

// Programs large enough for kept answers to get in each other's way.
func TestLarge(t *testing.T) {
	structtest.Conform(t, 40, 2000, fresh, structtest.Promises)
}

// The slow twin of the query, on its own.
func TestSlowConformance(t *testing.T) {
	structtest.Conform(t, 3000, 80, slow, classes...)
}

// outOfStamps is an engine whose searches run out of stamps once.
type outOfStamps struct {
	drdp.Engine
	ranOut bool
}

func (e *outOfStamps) Precedes(u, v reach.Strand) bool {
	if !e.ranOut && e.Epoch() == 5 {
		e.LastEpoch(2)
		e.ranOut = true
	}
	return e.Engine.Precedes(u, v)
}

// The stamps that come again mark nothing as seen.
func TestEpochs(t *testing.T) {
	structtest.Conform(t, 1000, 120, func(maxTasks, maxStrands uint32) structtest.Engine {
		e := new(outOfStamps)
		e.Init(maxTasks, maxStrands)
		return e
	}, structtest.Promises)
}

// accepted is p without the events that the engine refuses, and so in its class
// and order.
func accepted(p structtest.Program) structtest.Program {
	for {
		err := refusal(p)
		if err == nil {
			return p
		}
		i := err.Event.Line - 1
		p = append(p[:i:i], p[i+1:]...)
		for i := range p {
			p[i].Line = i + 1
		}
	}
}

// refusal is the first event of p that is impossible or refused.
func refusal(p structtest.Program) *event.Error {
	binder := event.NewBinder(uint32(len(p)) + 2)
	defer binder.Close()
	engine := fresh(uint32(len(p))+2, uint32(3*len(p))+2)
	defer engine.Close()
	for _, e := range p {
		told := false
		err := binder.Control(e, func(c *reach.Construct) reach.Refusal {
			told = true
			return engine.Do(c)
		})
		var refused *event.Error
		if errors.As(err, &refused) {
			return refused
		}
		if !told {
			if r := engine.(*drdp.Engine).Runs(binder.Task(e.Task)); r.Refused() {
				return &event.Error{Event: e, Refusal: r}
			}
		}
	}
	return nil
}

// Programs that mix everything, of which what is refused is left out. The order is
// never what is refused first.
func TestMixtures(t *testing.T) {
	first, count := soak.Seeds(1000)
	seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
		p := structtest.FromSeed(seed, 60, structtest.Everything, reach.Stacked)
		if err := refusal(p); err != nil && strings.Contains(err.Why, "order") {
			return err
		}
		return structtest.Run(accepted(p), fresh)
	})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, structtest.FromSeed(seed, 60, structtest.Everything, reach.Stacked))
	}
	kinds := map[event.Kind]int{}
	for seed := range uint64(100) {
		for _, e := range accepted(structtest.FromSeed(seed, 60, structtest.Everything, reach.Stacked)) {
			kinds[e.Kind]++
		}
	}
	t.Log(kinds)
}

// Programs in other orders: as far as the engine goes along, it answers right.
func TestOtherOrders(t *testing.T) {
	for _, class := range append(classes, structtest.Everything) {
		t.Run(class.Name, func(t *testing.T) {
			first, count := soak.Seeds(400)
			seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
				return structtest.Run(accepted(structtest.FromSeed(seed, 40, class, reach.AnyOrder)), fresh)
			})
			if err != nil {
				p := accepted(structtest.FromSeed(seed, 40, class, reach.AnyOrder))
				t.Fatalf("seed %d: %v\n%s", seed, err, p)
			}
		})
	}
}
