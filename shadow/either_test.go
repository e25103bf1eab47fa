package shadow

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// inTurns is a scene that notes which of two accesses it is told of.
type inTurns struct {
	*scene
	accesses [2]Access
	all      map[accessPair]bool
	turn     int
}

func (s *inTurns) Turn(i int) {
	s.tell(s.all, s.accesses[s.turn])
	s.turn = i
}

// randomRow is a row of elements of one size in a few lines, and what is accessed of it.
func randomRow(r *rand.Rand) (row Row, touched [2][]uintptr) {
	size := []int{1, 2, 4, 8, 8, 8, 16, 12}[r.IntN(8)]
	row = Row{Base: low + 4*chunk - 64 + uintptr(r.IntN(64)*size), Count: 1 + r.IntN(80), Stride: size, First: r.IntN(MaskBits - 100)}
	if r.IntN(4) == 0 {
		row.Base += uintptr(row.Count * size)
		row.Stride = -size
	}
	row.Masks = [2]*Mask{new(Mask), new(Mask)}
	density := r.IntN(4)
	for i := range MaskBits {
		which := r.IntN(2 + density)
		if which > 1 && density < 3 {
			continue
		}
		row.Masks[which%2][i/64] |= 1 << (i % 64)
		if k := i - row.First; k >= 0 && k < row.Count {
			touched[which%2] = append(touched[which%2], row.Base+uintptr(k*size*row.Stride/size))
		}
	}
	return row, touched
}

// TestEitherIsItsElements compares AccessEither with one Access to each element.
func TestEitherIsItsElements(t *testing.T) {
	paired := 0
	for seed := range uint64(300) {
		if err := compareEither(rand.New(rand.NewPCG(seed, 20)), &paired); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if paired < 1000 {
		t.Errorf("only %d lines had pairs", paired)
	}
}

func compareEither(r *rand.Rand, paired *int) error {
	single := &scene{ordered: make(map[Strand]bool)}
	either := &inTurns{scene: &scene{ordered: single.ordered}, all: map[accessPair]bool{}}
	for _, s := range []*scene{either.scene, single} {
		s.Init(low, lowSize, high, highSize, 0)
		s.KeepAll()
		defer s.close()
	}
	var steps [3]int // of chains of strands
	want := map[accessPair]bool{}
	for range 30 {
		chain := r.IntN(len(steps))
		steps[chain] += r.IntN(2)
		clear(single.ordered)
		for i := range steps[chain] {
			single.ordered[strandOf(100*chain+i+1)] = true
		}
		op := []Op{Read, Write}[r.IntN(2)]
		for i := range either.accesses {
			either.accesses[i] = by(100*chain+steps[chain]+1, op, uint32(2*r.IntN(2)+i), uint32(1+r.IntN(2)))
		}
		row, touched := randomRow(r)
		_, n := either.AccessEither(row, &either.accesses, either)
		either.Turn(0)
		for i, all := range touched {
			if n[i] != uint64(len(all)) {
				return fmt.Errorf("%d accesses, not %d", n[i], len(all))
			}
			for _, p := range all {
				single.Access(p, 1, either.accesses[i], single)
			}
			single.tell(want, either.accesses[i])
		}
		if !maps.Equal(either.all, want) {
			return fmt.Errorf("%v: told of %v, one by one of %v", either.accesses, either.all, want)
		}
		for p := low + 3*chunk; p < low+6*chunk; p++ {
			if err := compareByte(either.scene, single, p); err != nil {
				return fmt.Errorf("%v: %w", either.accesses, err)
			}
			if p%lineBytes == 0 && either.Windows[0].Line(p).isPair() {
				*paired++
			}
		}
	}
	return nil
}

// Elements that two places write in turns, over what two places wrote, are in a pair at the
// end of each round, and no line is split.
func TestEitherSplitsNoLine(t *testing.T) {
	s := &inTurns{scene: newScene(t, 0), all: map[accessPair]bool{}}
	s.serial = true
	r := rand.New(rand.NewPCG(21, 22))
	for round := range 50 {
		one, other := new(Mask), new(Mask)
		one[0] = r.Uint64()
		other[0] = ^one[0]
		for i := range s.accesses { // two sites that forget each other
			s.accesses[i] = by(1, Write, uint32(1+i), uint32(1+round))
		}
		s.AccessEither(Row{low, 64, 8, 0, [2]*Mask{one, other}}, &s.accesses, s)
		for p := low; p < low+64*8; p += lineBytes {
			if l := s.Windows[0].Line(p); !l.isPair() && !l.IsRun() {
				t.Fatalf("round %d: the line is split", round)
			}
		}
	}
}

// Without a window nothing is accessed.
func TestEitherOutsideTheWindows(t *testing.T) {
	s := &inTurns{scene: newScene(t, 0), all: map[accessPair]bool{}}
	if _, n := s.AccessEither(Row{low - 4096, 4, 8, 0, [2]*Mask{{15}, {}}}, &s.accesses, s); n != [2]uint64{} || s.States() != 0 {
		t.Errorf("%v accesses, %d states", n, s.States())
	}
}

// TestEitherMutants shows that the tests notice what is easily got wrong.
func TestEitherMutants(t *testing.T) {
	mutants.Run(t, "^TestEither(IsItsElements|SplitsNoLine)$", []mutants.Mutant{
		{Name: "the last element of a line is in the next one", File: "either.go",
			Old: "(lineBytes-1-p%lineBytes)/stride)+1)", New: "(lineBytes-1-p%lineBytes)/stride)+2)"},
		{Name: "whose turn it is goes unsaid", File: "history.go",
			Old: "		s.turns.Turn(s.turn)\n", New: ""},
		{Name: "both accesses have one memo", File: "rangememo.go",
			Old: "	return m.second.of(a, 0)\n", New: "	return &m.kinds[a.Op&1]\n"},
		{Name: "the second access is made to what the first left", File: "either.go",
			Old: "e[1].granulesOf(p, bytes[1])", New: "e[1].granulesOf(p, bytes[1]&^0xff)"},
		{Name: "elements without a history stay so", File: "either.go",
			Old: "fresh := bytes[i] &^ before.bytes(); fresh != 0", New: "fresh := bytes[i] &^ before.bytes(); fresh != 0 && i == 0"},
		{Name: "what is not accessed is", File: "either.go",
			Old: "changed, rest = true, rest&^old\n", New: "changed, old, rest = true, q.bytes, 0\n"},
		{Name: "a line that does not fit is left", File: "either.go",
			Old: "		case !ok:\n			w.split(p, l)\n", New: "		case !ok:\n			return\n"},
	})
}

// What an access to the first half of a line makes of its pair depends on which elements have
// which state.
func TestHalfOfAPair(t *testing.T) {
	s, single := &inTurns{scene: newScene(t, 0), all: map[accessPair]bool{}}, newScene(t, 0)
	s.serial, single.serial = true, true
	s.accesses = [2]Access{by(1, Write, 1, 1), by(1, Write, 2, 1)}
	for line, mask := range []uint64{0x0f, 0x33, 0xaa, 0xf0} {
		p := low + uintptr(line*lineBytes)
		s.AccessEither(Row{p, 8, 8, 0, [2]*Mask{{mask}, {^mask}}}, &s.accesses, s)
		for i := range uintptr(8) {
			single.Access(p+8*i, 1, s.accesses[1-mask>>i&1], single)
		}
	}
	for line := range uintptr(4) {
		a := by(2, Write, 3, 2)
		s.AccessBox(Box{low + line*lineBytes, [BoxDims]Dim{{4, 8}, {1, 0}, {1, 0}}}, a, s)
		for i := range uintptr(8) {
			if i < 4 {
				single.Access(low+line*lineBytes+8*i, 1, a, single)
			}
			if err := compareByte(s.scene, single, low+line*lineBytes+8*i); err != nil {
				t.Errorf("line %d: %v", line, err)
			}
		}
	}
}
