package structtest_test

import (
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/structtest"
)

// Every class, in every order in which it is generated, must show its constructs.
func TestGeneratorReachesAllConstructs(t *testing.T) {
	for _, c := range []struct {
		class structtest.Class
		order reach.Order
	}{
		{structtest.SpawnSync, reach.DepthFirst}, {structtest.SpawnSync, reach.AnyOrder}, {structtest.AsyncFinish, reach.DepthFirst},
		{structtest.StructuredFutures, reach.DepthFirst}, {structtest.GeneralFutures, reach.DepthFirst}, {structtest.Lattice, reach.DepthFirst},
		{structtest.Promises, reach.Stacked}, {structtest.Promises, reach.AnyOrder}, {structtest.Everything, reach.Stacked}, {structtest.Everything, reach.AnyOrder},
	} {
		counts, events := map[string]int{}, 0
		for seed := range uint64(300) {
			for _, e := range structtest.FromSeed(seed, 80, c.class, c.order) {
				counts[e.Kind.String()]++
				events++
			}
		}
		t.Log(c.class.Name, c.order, events, counts)
	}
}
