package shadow

import (
	"fmt"
	"testing"

	"github.com/detrace/detrace/internal/offheap"
)

// deed is something that is done to a line.
type deed struct {
	name string
	do   func(s *scene)
	gone uint64 // bytes of memory that is gone then: nobody is about to access them
}

func wholeRange(n int) deed {
	return deed{fmt.Sprint("range by ", n), func(s *scene) { s.do(low, lineBytes, by(n, Write, 1, 1)) }, 0}
}

func row(n, count int) deed {
	return deed{fmt.Sprint("row of ", count, " by ", n), func(s *scene) {
		s.AccessBox(Box{low, [BoxDims]Dim{{count, 8}, {1, 0}, {1, 0}}}, by(n, Write, 1, 1), s)
	}, 0}
}

func element(n int, at uintptr) deed {
	return deed{fmt.Sprint("byte ", at, " by ", n), func(s *scene) { s.do(low+at, 1, by(n, Write, 1, 1)) }, 0}
}

func forgotten(at, size uintptr) deed {
	return deed{fmt.Sprint("forget ", at, " and ", size), func(s *scene) { s.Forget(low+at, size) }, (1<<size - 1) << at}
}

// What a thread has loaded of a line may be old when it changes it: then it changes
// nothing, or what it sees is still so. Every pair of a deed that comes in between and of
// the ways to change a line is tried, on lines of all kinds.
func TestStaleLines(t *testing.T) {
	before := [][]deed{
		{}, {element(1, 0)}, {element(1, 8)}, {element(1, 0), element(1, 8)}, {row(1, 8)}, {row(1, 7)}, {wholeRange(1)},
		{element(1, 0), element(2, 8)}, {row(1, 8), element(2, 0)}, {row(1, 8), element(2, 8)}, {row(1, 8), element(2, 16)},
		{wholeRange(1), element(2, 0)}, {row(1, 8), element(2, 16), forgotten(0, 8)}, {row(1, 8), forgotten(8, 8)},
		{element(1, 0), element(2, 1), element(4, 2)}, {row(1, 8), element(2, 16), row(4, 8)},
	}
	between := []deed{
		{"nothing", func(*scene) {}, 0}, element(5, 0), element(5, 8), element(5, 16), element(5, 1), row(5, 8), row(5, 2), row(5, 1),
		wholeRange(5), forgotten(0, 8), forgotten(8, 8), forgotten(0, 4), forgotten(16, 40),
	}
	done, refused := 0, 0
	for _, first := range before {
		for _, second := range between {
			for _, at := range []uintptr{0, 1, 8} {
				for way := range 4 {
					if second.gone>>at&1 != 0 || second.gone != 0 && way == 2 {
						continue
					}
					made, err := stale(t, first, second, at, way)
					if err != nil {
						t.Fatalf("%v, then %s, byte %d, way %d: %v", names(first), second.name, at, way, err)
					}
					if made {
						done++
					} else {
						refused++
					}
				}
			}
		}
	}
	if done < 100 || refused < 100 {
		t.Errorf("%d were done, %d refused", done, refused)
	}
}

func names(deeds []deed) (all []string) {
	for _, d := range deeds {
		all = append(all, d.name)
	}
	return all
}

// stale writes to the byte at by strand 3, in one of several ways, by what was loaded
// before the second of two deeds.
func stale(t *testing.T, first []deed, second deed, at uintptr, way int) (made bool, err error) {
	var s, want scene
	for _, h := range []*scene{&s, &want} {
		h.Init(low, lowSize, high, highSize, 0)
		defer h.close()
		for _, d := range first {
			d.do(h)
		}
	}
	a, addr := by(3, Write, 1, 1), low+at
	w := s.Window(addr)
	l := w.Line(addr)
	c, v, state := s.look(w, addr)
	after, _ := s.states.follow(state, &a, 0, &s)
	second.do(&s)
	second.do(&want)
	st := step{history: &s.History, window: w, access: &a, order: &s, olds: noStates}
	bytes, mask := uint64(1)<<at, uint8(1)<<(at&7)
	w.touch(addr)
	switch {
	case c != nil && way == 0:
		made = s.TryMove(c, v, addr, &Move{state, after, 1}, 1)
	case way == 0:
		made = l.IsRun() && w.MoveInLine(l, addr, after, 1)
	case way == 1 && !l.IsSplit():
		made = st.inLine(addr, l, bytes)
	case way == 2 && !l.IsSplit():
		st.mask, bytes = 0xff, ^uint64(0)
		st.ranges = s.Ranges().about(&a, st.mask)
		made = st.wholeLine(low, l, bytes)
	case l.IsSplit():
		made = st.inCell(addr&^7, c, cell(v), mask)
	}
	if made && bytes == ^uint64(0) {
		want.do(low, lineBytes, a)
	} else if made {
		want.do(addr, 1, a)
	}
	for p := low; p < low+lineBytes; p++ {
		if err := compareByte(&s, &want, p); err != nil {
			return made, fmt.Errorf("made is %v: %w", made, err)
		}
	}
	word := offheap.Load64(w.line(low))
	s.ranges = RangeMemo{}
	s.Collect(&s).Finish()
	for p := low; p < low+lineBytes; p++ {
		if err := compareByte(&s, &want, p); err != nil {
			return made, fmt.Errorf("made is %v, line %#x, after a collection: %w", made, word, err)
		}
	}
	return made, nil
}
