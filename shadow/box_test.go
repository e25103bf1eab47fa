package shadow

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// each calls f with the address of every element of a box, as the loops would.
func (b Box) each(f func(uintptr)) {
	for i := range b.Dims[0].Count {
		for j := range b.Dims[1].Count {
			for k := range b.Dims[2].Count {
				f(b.Base + uintptr(i*b.Dims[0].Stride+j*b.Dims[1].Stride+k*b.Dims[2].Stride))
			}
		}
	}
}

func (b Box) set() map[uintptr]bool {
	set := map[uintptr]bool{}
	b.each(func(p uintptr) { set[p] = true })
	return set
}

// randomBox is a box of elements of one size in a few chunks.
func randomBox(r *rand.Rand) Box {
	size := []int{1, 2, 4, 8, 16, 24, 12}[r.IntN(7)]
	b := Box{Base: low + 4*chunk - 64 + uintptr(r.IntN(64)*size)}
	for i := range b.Dims {
		b.Dims[i] = Dim{1 + r.IntN(6), size * []int{0, 1, 1, -1, 2, 3, 5, -6, 8, 16, -20}[r.IntN(11)]}
	}
	if r.IntN(3) == 0 { // a long row, rows in order
		b.Dims[0] = Dim{1 + r.IntN(60), size}
		b.Dims[1].Stride = size * (1 + r.IntN(80))
	}
	return b
}

func TestNormalIsTheSameElements(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	joined := 0
	for range 20_000 {
		b := randomBox(r)
		n := b.Normal()
		want, got := b.set(), n.set()
		for p := range want {
			if !got[p] {
				t.Fatalf("%+v: %#x is not in %+v", b, p, n)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%+v: %d elements, %d in %+v", b, len(want), len(got), n)
		}
		last := uintptr(0)
		for p := range want {
			last = max(last, p)
		}
		if last != n.Last() || n.Dims[0].Stride < 0 || n.Dims[1].Count > 1 && n.Dims[0].Stride > n.Dims[1].Stride {
			t.Fatalf("%+v: %+v is not normal", b, n)
		}
		if n.Elements() == uint64(len(want)) {
			joined++
		}
	}
	if joined < 10_000 {
		t.Errorf("only %d boxes name each element once", joined)
	}
}

// remembered is the list of byte b, the latest access first, without contexts.
func (s *scene) remembered(b uintptr) []Access {
	list := s.History.remembered(b)
	for i := range list {
		list[i].Context = 0
	}
	return list
}

// accessPair is two accesses without their contexts.
type accessPair struct{ earlier, now Access }

// tell adds what was told of access a to all.
func (s *scene) tell(all map[accessPair]bool, a Access) {
	for _, earlier := range s.told {
		earlier.Context, a.Context = 0, 0
		all[accessPair{earlier, a}] = true
	}
	s.told = nil
}

// TestBoxIsItsElements compares AccessBox with one Access to each element.
func TestBoxIsItsElements(t *testing.T) {
	for seed := range uint64(150) {
		if err := compareBox(rand.New(rand.NewPCG(seed, 0))); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func compareBox(r *rand.Rand) error {
	boxed, single := &scene{ordered: make(map[Strand]bool)}, &scene{}
	for _, s := range []*scene{boxed, single} {
		s.Init(low, lowSize, high, highSize, 0)
		s.KeepAll()
		defer s.close()
	}
	var steps [3]int // of chains of strands
	told, want := map[accessPair]bool{}, map[accessPair]bool{}
	for range 40 {
		chain := r.IntN(len(steps))
		steps[chain] += r.IntN(2)
		clear(boxed.ordered)
		for i := range steps[chain] {
			boxed.ordered[strandOf(100*chain+i+1)] = true
		}
		single.ordered = boxed.ordered
		a := by(100*chain+steps[chain]+1, []Op{Read, Write}[r.IntN(2)], uint32(r.IntN(3)), uint32(1+r.IntN(3)))
		b := randomBox(r)
		if r.IntN(8) == 0 {
			size := uintptr(r.IntN(100))
			boxed.Access(b.Base, size, a, boxed)
			single.Access(b.Base, size, a, single)
		}
		touched := b.set()
		if r.IntN(2) == 0 {
			boxed.AccessBox(b.Normal(), a, boxed)
		} else {
			touched = maskedAccess(r, boxed, b, a)
		}
		for p := range touched {
			single.Access(p, 1, a, single)
		}
		boxed.tell(told, a)
		single.tell(want, a)
		if !maps.Equal(told, want) {
			return fmt.Errorf("%v on %+v: told of %v, one by one of %v", a, b, told, want)
		}
		for p := range touched {
			if err := compareByte(boxed, single, p); err != nil {
				return fmt.Errorf("%v on %+v: %w", a, b, err)
			}
		}
	}
	for p := low; p < low+8*chunk; p++ {
		if err := compareByte(boxed, single, p); err != nil {
			return err
		}
	}
	return nil
}

// maskedAccess makes the access to some elements of b and returns which.
func maskedAccess(r *rand.Rand, s *scene, b Box, a Access) map[uintptr]bool {
	var m Mask
	touched, density := map[uintptr]bool{}, r.IntN(4)
	rounds := b.rounds(&m)
	if n := rounds.Plane * b.Dims[2].Count; r.IntN(2) == 0 {
		// The box is a part of what the loops touch.
		rounds.First = r.IntN(MaskBits - n)
		rounds.Row += r.IntN((MaskBits-rounds.First-n)/b.Dims[1].Count/b.Dims[2].Count + 1)
		rounds.Plane = rounds.Row * b.Dims[1].Count
	}
	for i := range m {
		m[i] = r.Uint64()
		for range density {
			m[i] |= r.Uint64()
		}
	}
	for k := range b.Dims[2].Count {
		for j := range b.Dims[1].Count {
			for i := range b.Dims[0].Count {
				at := rounds.First + i + j*rounds.Row + k*rounds.Plane
				if m[at/64]>>(at%64)&1 != 0 {
					touched[b.Base+uintptr(i*b.Dims[0].Stride+j*b.Dims[1].Stride+k*b.Dims[2].Stride)] = true
				}
			}
		}
	}
	s.AccessMasked(b, rounds, &a, s)
	return touched
}

// rounds is all rounds of the loops that b is the elements of.
func (b *Box) rounds(m *Mask) Rounds {
	return Rounds{Mask: m, Row: b.Dims[0].Count, Plane: b.Dims[0].Count * b.Dims[1].Count}
}

func compareByte(boxed, single *scene, p uintptr) error {
	if got, want := boxed.remembered(p), single.remembered(p); !slices.Equal(got, want) {
		return fmt.Errorf("byte %#x: remembered is %v, one by one %v", p, got, want)
	}
	return nil
}

// A box of memory that is not looked after is nobody's.
func TestBoxOutsideTheWindows(t *testing.T) {
	s := newScene(t, 0)
	out := s.AccessBox(Box{low - 4096, [BoxDims]Dim{{4, 8}, {1, 0}, {1, 0}}}, by(1, Write, 1, 1), s)
	if out.Changed || s.States() != 0 {
		t.Errorf("%+v, %d states", out, s.States())
	}
}

func BenchmarkAccessBox(b *testing.B) {
	for _, c := range []struct {
		name string
		row  Dim
		rows Dim
	}{
		{"rows of 64 float64", Dim{64, 8}, Dim{64, 4096}},
		{"rows of 64 int32", Dim{64, 4}, Dim{64, 4096}},
		{"columns", Dim{64, 4096}, Dim{1, 0}},
	} {
		for _, known := range []bool{true, false} {
			name := c.name + ", new strand"
			if known {
				name = c.name + ", same strand"
			}
			b.Run(name, func(b *testing.B) {
				s := &scene{ordered: make(map[Strand]bool), serial: true}
				s.Init(low, lowSize, high, highSize, 0)
				defer s.close()
				box := Box{low, [BoxDims]Dim{c.row, c.rows, {1, 0}}}.Normal()
				strand := 1
				for b.Loop() {
					if !known {
						strand = strand%1000 + 1
					}
					s.AccessBox(box, by(strand, Write, 1, 1), s)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(box.Elements()), "ns/element")
			})
		}
	}
}

func TestInside(t *testing.T) {
	const big = 1 << 62
	tests := []struct {
		length, first int
		dims          [BoxDims]Dim
		want          bool
	}{
		{10, 0, [BoxDims]Dim{{10, 1}, {1, 0}, {1, 0}}, true},
		{10, 0, [BoxDims]Dim{{11, 1}, {1, 0}, {1, 0}}, false},
		{10, 9, [BoxDims]Dim{{10, -1}, {1, 0}, {1, 0}}, true},
		{10, 8, [BoxDims]Dim{{10, -1}, {1, 0}, {1, 0}}, false},
		{10, -1, [BoxDims]Dim{{1, 0}, {1, 0}, {1, 0}}, false},
		{10, 10, [BoxDims]Dim{{1, 0}, {1, 0}, {1, 0}}, false},
		{10, 0, [BoxDims]Dim{{0, 1}, {1, 0}, {1, 0}}, false},
		{10, 0, [BoxDims]Dim{{5, 0}, {0, 0}, {1, 0}}, false},
		{100, 0, [BoxDims]Dim{{10, 10}, {10, 1}, {5, 0}}, true},
		{99, 0, [BoxDims]Dim{{10, 10}, {10, 1}, {5, 0}}, false},
		{100, 50, [BoxDims]Dim{{6, -10}, {10, 5}, {1, 0}}, true},
		{100, 49, [BoxDims]Dim{{6, -10}, {10, 5}, {1, 0}}, false},
		// What wraps around is outside, whatever it comes to.
		{10, 0, [BoxDims]Dim{{5, big}, {1, 0}, {1, 0}}, false},
		{10, 0, [BoxDims]Dim{{1 << 32, 1 << 32}, {1, 0}, {1, 0}}, false},
		{10, 0, [BoxDims]Dim{{big, 1}, {1, 0}, {1, 0}}, false},
		{10, 0, [BoxDims]Dim{{5, -1 << 63}, {1, 0}, {1, 0}}, false},
		{10, 0, [BoxDims]Dim{{1, -1 << 63}, {1, big}, {1, 0}}, true},
	}
	for _, test := range tests {
		if got := Inside(test.length, test.first, &test.dims); got != test.want {
			t.Errorf("length %d, %d %v: %v", test.length, test.first, test.dims, got)
		}
	}
}
