package shadow

import (
	"math/rand/v2"
	"testing"
)

// A memo of ranges knows what it has learned about the accesses that it is about now, or
// nothing.
func TestRangeMemoStartsAnew(t *testing.T) {
	const rounds = 10_000
	var m RangeMemo
	rnd := rand.New(rand.NewPCG(1, 2))
	for strand := Strand(1); strand <= rounds; strand++ {
		a := by(int(strand), Op(1+rnd.IntN(2)), uint32(rnd.IntN(2)), 1)
		c := m.about(&a, 0xff)
		for range 2 {
			v, l, id := cell(1+rnd.IntN(100)), Line(1+rnd.IntN(100)), uint32(1+rnd.IntN(20))
			if e := c.entry(v); e.key != 0 && e.context != a.Context+uint32(strand) {
				t.Fatalf("strand %d: a cell has %+v", strand, *e)
			}
			c.learn(v, v+1, 0xff, 0xff, a.Context+uint32(strand))
			if e := c.entry(v); e.key != uint64(v)+1 || e.new != v+1 {
				t.Fatalf("strand %d: the transition of a cell is lost: %+v", strand, *e)
			}
			line := c.line(l, 1)
			if line.bytes != 0 && line.context != uint32(strand) {
				t.Fatalf("strand %d: a line has %+v", strand, *line)
			}
			*line = lineMove{l, l + 1, 1, uint32(strand), line.age}
			pair := c.pair(id)
			if pair.bytes != 0 && pair.context != uint32(strand) {
				t.Fatalf("strand %d: a pair has %+v", strand, *pair)
			}
			*pair = pairMove{1, 1, id, id, uint32(strand), false, pair.age}
			if c.line(l, 1).before != l || c.pair(id).before != id {
				t.Fatalf("strand %d: a transition is lost", strand)
			}
		}
	}
}

// What was learned at an age is not taken for what is learned when that comes again.
func TestAgesComeAround(t *testing.T) {
	var m RangeMemo
	a := by(1, Write, 1, 1)
	c := m.about(&a, 0xff)
	c.learn(1, 2, 0xff, 0xff, 1)
	*c.line(1, 1) = lineMove{1, 2, 1, 1, c.age}
	*c.pair(1) = pairMove{1, 1, 1, 2, 1, false, c.age}
	for first := c.age; ; {
		a.Place++
		if c = m.about(&a, 0xff); c.age == first {
			break
		}
	}
	if e := c.entry(1); e.key != 0 {
		t.Errorf("a cell has %+v", *e)
	}
	if e := c.line(1, 1); e.bytes != 0 {
		t.Errorf("a line has %+v", *e)
	}
	if e := c.pair(1); e.bytes != 0 {
		t.Errorf("a pair has %+v", *e)
	}
}
