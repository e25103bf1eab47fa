package shadow

import (
	"math/rand/v2"
	"testing"
)

// Strands in a row write an array by ranges, each element from one of two sites, as merges do.
// With all dominated accesses kept nearly every element has a history of its own; with those of a
// strand's first states alone there are a few for each strand. Whoever races with them races with
// every element all the same.
func TestWordyStrands(t *testing.T) {
	const rounds, elements = 12, 2048
	var states [2]uint64
	for i := range states {
		s := newScene(t, 0)
		if i == 1 {
			s.KeepAll()
		}
		r := rand.New(rand.NewPCG(1, 40))
		for strand := 1; strand <= rounds; strand++ {
			for e := range uintptr(elements) {
				s.do(low+8*e, 8, by(strand, Write, uint32(1+r.IntN(4)), 1))
			}
			s.ordered[strandOf(strand)] = true
		}
		states[i] = s.States()
		clear(s.ordered)
		for e := range uintptr(elements) {
			if told := s.do(low+8*e, 8, by(rounds+1+int(e), Read, 9, 1)); len(told) == 0 {
				t.Fatalf("element %d races with nothing", e)
			}
		}
	}
	if states[0] > rounds*3*wordyStates || states[1] < 20*states[0] {
		t.Errorf("%d states, %d if all dominated accesses are kept", states[0], states[1])
	}
}
