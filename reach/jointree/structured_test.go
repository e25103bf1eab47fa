package jointree_test

import (
	"testing"

	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/reachtest"
	"github.com/detrace/detrace/reach/structtest"
)

func newStructured(maxTasks, maxStrands uint32) structtest.Engine {
	e := new(jointree.Structured)
	e.Init(maxTasks, maxStrands)
	return e
}

func newCrampedStructured(maxTasks, maxStrands uint32) structtest.Engine {
	e := newStructured(maxTasks, maxStrands)
	e.(*jointree.Structured).Cramp()
	return e
}

func TestStructured(t *testing.T) {
	if reachtest.Race {
		t.Skip("too slow with -race, and not concurrent")
	}
	classes := []structtest.Class{
		structtest.SpawnSync, structtest.AsyncFinish, structtest.StructuredFutures, structtest.GeneralFutures,
		structtest.Promises, structtest.Lattice, structtest.Everything,
	}
	structtest.Conform(t, 10000, 80, newStructured, classes...)
	structtest.Conform(t, 3500, 160, newCrampedStructured, classes...)
}
