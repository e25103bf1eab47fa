package vclock_test

import (
	"testing"

	"github.com/detrace/detrace/reach/structtest"
	"github.com/detrace/detrace/reach/vclock"
)

func TestStructured(t *testing.T) {
	structtest.Conform(t, 10000, 80, func(uint32, uint32) structtest.Engine { return new(vclock.Structured) },
		structtest.SpawnSync, structtest.AsyncFinish, structtest.StructuredFutures, structtest.GeneralFutures,
		structtest.Promises, structtest.Lattice, structtest.Everything)
}
