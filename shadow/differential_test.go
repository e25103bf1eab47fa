package shadow

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/detrace/detrace/internal/invariants"
)

// Random programs are run on the history and on an oracle that keeps every
// access to every byte. Each access must be reported exactly when it races, with
// something it races with, and whatever is forgotten must have a stand-in.
func TestAgainstAllPairs(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		shape
	}{
		{"words", 600, shape{strands: 8, accesses: 60, density: 0.3, sites: 4, contexts: 1, spread: 1, plain: true}},
		{"bytes", 600, shape{strands: 8, accesses: 80, density: 0.3, sites: 3, contexts: 1, spread: 12, plain: true}},
		{"atomics", 600, shape{strands: 8, accesses: 80, density: 0.3, sites: 3, contexts: 1, spread: 5}},
		{"parallel", 200, shape{strands: 40, accesses: 160, density: 0.01, sites: 6, contexts: 1, spread: 3}},
		{"chains", 300, shape{strands: 40, accesses: 160, density: 0.2, sites: 12, contexts: 1, spread: 3}},
		{"ranges", 400, shape{strands: 8, accesses: 80, density: 0.3, sites: 3, contexts: 1, spread: 24, ranges: true}},
		{"forgetting", 600, shape{strands: 8, accesses: 80, density: 0.3, sites: 3, contexts: 1, spread: 24, ranges: true, disturbed: true}},
		{"contexts", 600, shape{strands: 6, accesses: 60, density: 0.3, sites: 2, contexts: 4, spread: 1}},
		{"contexts of bytes", 600, shape{strands: 6, accesses: 60, density: 0.3, sites: 2, contexts: 4, spread: 12, ranges: true, disturbed: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := c.n
			if invariants.Enabled {
				n /= 2
			}
			for seed := range uint64(n) {
				p := randomProgram(rand.New(rand.NewPCG(seed, 1)), c.shape)
				for _, m := range []mode{{}, {fast: true}, {wide: true}, {wide: true, fast: true}, {serial: true, fast: true}, {serial: true, wide: true}, {terse: true, fast: true}, {terse: true, serial: true}} {
					fails := func(p program) error { return runProgram(p, m) }
					if fails(p) != nil {
						p, err := shrink(p, fails)
						t.Fatalf("seed %d, %+v: %v\n%v", seed, m, err, p)
					}
				}
			}
		})
	}
}

// mode is how a program is run: with the fast path of a judged program, with audiences
// and journals wherever they may be, as a serial run, and with strands that make states by ranges keeping
// nothing dominated. The strands come by turns, which costs a serial run memory and nothing else.
type mode struct{ fast, wide, serial, terse bool }

func runProgram(p program, m mode) error {
	r := newRun(p, m.fast)
	defer r.history.close()
	if m.wide {
		r.history.Eager()
	}
	if m.serial {
		r.history.Serial()
	}
	if m.terse {
		r.history.states.wordy = 0
	}
	for _, e := range p.events {
		if err := r.step(e); err != nil {
			return err
		}
	}
	for b := range r.bytes {
		if err := r.check(b); err != nil {
			return fmt.Errorf("in the end, byte %#x: %w", b, err)
		}
	}
	return nil
}

// The fast path of a judged program leaves the same lists and finds the same
// races as the history alone.
func TestFastPathIsPlainPath(t *testing.T) {
	taken := 0
	for seed := range uint64(600) {
		p := randomProgram(rand.New(rand.NewPCG(seed, 2)), shape{strands: 5, accesses: 120, density: 0.3, sites: 2, contexts: 1, spread: 12, ranges: true, disturbed: true})
		fails := func(p program) error {
			n, err := compareFast(p)
			taken += n
			return err
		}
		if fails(p) != nil {
			p, err := shrink(p, fails)
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
	}
	if taken < 1000 {
		t.Errorf("the fast path was taken %d times", taken)
	}
}

func compareFast(p program) (taken int, err error) {
	fast, plain := newRun(p, true), newRun(p, false)
	defer fast.history.close()
	defer plain.history.close()
	for _, e := range p.events {
		if e.kind != access {
			if err := fast.step(e); err != nil {
				return taken, err
			}
			if err := plain.step(e); err != nil {
				return taken, err
			}
			continue
		}
		if fast.access(e) {
			taken++
		}
		plain.access(e)
		fast.oracle.access(e)
		plain.oracle.access(e)
		if !reflect.DeepEqual(set(fast.told), set(plain.told)) {
			return taken, fmt.Errorf("%v: races with %v, by the plain path with %v", e, fast.told, plain.told)
		}
		for b := e.addr; b < e.addr+e.size; b++ {
			if one, two := fast.remembered(b), plain.remembered(b); !reflect.DeepEqual(one, two) {
				return taken, fmt.Errorf("%v: remembered of %#x: %v, by the plain path %v", e, b, one, two)
			}
		}
	}
	return taken, nil
}

func set(list []Access) map[Access]bool {
	m := make(map[Access]bool)
	for _, a := range list {
		m[a] = true
	}
	return m
}
