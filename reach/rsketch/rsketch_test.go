package rsketch_test

import (
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/rsketch"
	"github.com/detrace/detrace/reach/structtest"
)

func fresh(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(rsketch.Engine)
	e.Init(maxTasks, maxStrands)
	return e
}

// pairs is the engine judged on all pairs of strands that have started, which is more
// than it promises.
type pairs struct{ rsketch.Engine }

func (e *pairs) Traits() reach.Traits {
	t := e.Engine.Traits()
	t.Pairs = true
	return t
}

func freshPairs(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(pairs)
	e.Init(maxTasks, maxStrands)
	return e
}

var classes = []structtest.Class{structtest.SpawnSync, structtest.AsyncFinish, structtest.StructuredFutures,
	structtest.GeneralFutures, structtest.Promises}

func TestConform(t *testing.T) {
	structtest.Conform(t, 10000, 80, fresh, classes...)
}

func TestConformPairs(t *testing.T) {
	structtest.Conform(t, 5000, 80, freshPairs, classes...)
}

// mixture is a random program of everything at once, with futures in place of lines of
// tasks.
func mixture(seed uint64, events int, order reach.Order) structtest.Program {
	p := structtest.FromSeed(seed, events, structtest.Everything, order)
	for i, e := range p {
		switch e.Kind {
		case event.Of(reach.Fork):
			p[i].Kind = event.Of(reach.Create)
		case event.Of(reach.Join):
			p[i].Kind = event.Of(reach.Get)
		}
	}
	return p
}

// Mixtures of all classes, in random and in stacked order.
func TestConformMixtures(t *testing.T) {
	for _, order := range []reach.Order{reach.AnyOrder, reach.Stacked, reach.DepthFirst} {
		first, count := soak.Seeds(3000)
		seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
			return structtest.Run(mixture(seed, 100, order), freshPairs)
		})
		if err != nil {
			p, err := structtest.Shrink(mixture(seed, 100, order), freshPairs, err)
			t.Fatalf("order %d, seed %d: %v\n%s", order, seed, err, p)
		}
	}
}

// Deep in the stack order, where tasks block and the searches are bounded.
func TestConformStacked(t *testing.T) {
	for _, class := range classes {
		for _, order := range []reach.Order{reach.DepthFirst, reach.Stacked} {
			first, count := soak.Seeds(500)
			seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
				return structtest.Run(structtest.FromSeed(seed, 80, class, order), fresh)
			})
			if err != nil {
				p, err := structtest.Shrink(structtest.FromSeed(seed, 80, class, order), fresh, err)
				t.Fatalf("%s, order %d, seed %d: %v\n%s", class.Name, order, seed, err, p)
			}
		}
	}
}
