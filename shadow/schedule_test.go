package shadow

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Which pairs of sites are reported is a property of the program, not of the
// order in which a schedule happens to deliver its accesses: with a few sites
// meeting at a location, it is the pairs of sites that race.
func TestPairsOfSitesDoNotDependOnTheSchedule(t *testing.T) {
	for _, c := range []struct {
		name string
		shape
	}{
		{"reads and writes", shape{strands: 8, accesses: 16, density: 0.3, sites: 4, contexts: 1, spread: 1, plain: true}},
		{"chains", shape{strands: 12, accesses: 24, density: 0.15, sites: 5, contexts: 1, spread: 1, plain: true}},
		{"with atomics", shape{strands: 8, accesses: 16, density: 0.3, sites: 3, contexts: 1, spread: 1}},
		{"bytes", shape{strands: 6, accesses: 24, density: 0.3, sites: 3, contexts: 1, spread: 4, plain: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wrong := 0
			for seed := range uint64(300) {
				r := rand.New(rand.NewPCG(seed, 3))
				p := randomProgram(r, c.shape)
				left := p.byStrand()
				for range 6 {
					q := program{p.preds, deliver(r, p.preds, left)}
					if err := comparePairs(q); err != nil {
						if wrong++; wrong == 1 {
							q, err := shrink(q, comparePairs)
							t.Errorf("seed %d: %v\n%v", seed, err, q)
						}
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%d of 1800 schedules", wrong)
			}
		})
	}
}

func (p program) byStrand() [][]event {
	left := make([][]event, len(p.preds))
	for _, e := range p.events {
		left[e.strand] = append(left[e.strand], e)
	}
	return left
}

// pairAt is two sites that race at a byte, the lower one first.
type pairAt struct {
	addr     uintptr
	one, two uint32
}

func comparePairs(p program) error {
	r := newRun(p, false)
	defer r.history.close()
	got, want := make(map[pairAt]bool), make(map[pairAt]bool)
	for _, e := range p.events {
		r.access(e)
		for _, a := range r.told {
			got[pairAt{e.addr, min(a.Site, e.site), max(a.Site, e.site)}] = true
		}
		r.sites(e, want)
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("pairs %v, want %v", got, want)
	}
	return nil
}

// sites adds the pairs of sites that race through e, unless e repeats what its
// strand did: the site of the first time stands for that.
func (o *oracle) sites(e event, pairs map[pairAt]bool) {
	races := o.bytes[e.addr]
	if slices.ContainsFunc(races, func(x event) bool { return x.strand == e.strand && covers(x.op, e.op) }) {
		return
	}
	for _, x := range races {
		if o.parallel(x.strand, e.strand) && conflicts(x.op, e.op) {
			pairs[pairAt{e.addr, min(x.site, e.site), max(x.site, e.site)}] = true
		}
	}
	o.bytes[e.addr] = append(races, e)
}
