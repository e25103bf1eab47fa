package shadow

import "testing"

// scene is a history of a few accesses by hand; all strands are parallel unless
// ordered says otherwise.
type scene struct {
	ranges RangeMemo
	History
	ordered  map[Strand]bool // strands before the one making the access
	serial   bool            // all strands are
	excluded uint32          // locks that keep others apart from the one making the access, as bits
	told     []Access
	moves    map[State]State
}

func newScene(t *testing.T, limit uint32) *scene {
	s := &scene{ordered: make(map[Strand]bool)}
	s.Init(low, lowSize, high, highSize, limit)
	t.Cleanup(s.close)
	return s
}

func (s *scene) Precedes(u Strand) bool               { return s.serial || s.ordered[u] }
func (s *scene) Race(a Access)                        { s.told = append(s.told, a) }
func (s *scene) Unordered(Access)                     {}
func (s *scene) Certain(Strand) bool                  { return true }
func (s *scene) Luck(Access)                          {}
func (s *scene) Excludes(locks uint32) bool           { return locks&s.excluded != 0 }
func (s *scene) Shared(uint32, uint32) (uint32, bool) { return 0, false }
func (s *scene) Crowded()                             {}
func (s *scene) Move(before State) State              { return s.moves[before] }
func (s *scene) Ranges() *RangeMemo                   { return &s.ranges }

func (s *scene) Outlasted(Strand) bool { return false }

func (s *scene) At(addr uintptr) {}

func (s *scene) Moved(before, after State) {}
func (s *scene) Mark(Strand)               {}

// Access is the history's, for accesses that have no address.
func (s *scene) Access(addr, size uintptr, a Access, o Order) Outcome {
	return s.History.Access(addr, size, &a, o)
}

// AccessBox is the history's, for accesses that have no address.
func (s *scene) AccessBox(b Box, a Access, o Order) Outcome { return s.History.AccessBox(b, &a, o) }

// do makes an access and returns what it races with.
func (s *scene) do(addr, size uintptr, a Access) []Access {
	s.told = nil
	s.Access(addr, size, a, s)
	return s.told
}

func by(strand int, op Op, site, context uint32) Access {
	return event{strand: strand, op: op, site: site, context: context}.access()
}

// The access remembered last at a place is told with the call path it had,
// whatever the state's record says of another place with the same history.
func TestLastContextIsExact(t *testing.T) {
	s := newScene(t, 0)
	for i := range uint32(8) {
		s.do(low+uintptr(8*i), 1, by(1, Write, 1, 10+i))
	}
	for i := range uint32(8) {
		told := s.do(low+uintptr(8*i), 1, by(2, Read, 2, 50))
		if len(told) != 1 || told[0].Context != 10+i {
			t.Errorf("word %d: races %+v, want one in context %d", i, told, 10+i)
		}
	}
}

// Below the last access only the state's record knows the call path, and there
// may be two.
func TestOlderContextIsExactOrMixed(t *testing.T) {
	s := newScene(t, 0)
	s.do(low, 1, by(1, Write, 1, 10))
	s.do(low+8, 1, by(1, Write, 1, 11))
	s.do(low+16, 1, by(4, Write, 1, 12))
	s.ordered[strandOf(1)], s.ordered[strandOf(4)] = true, true
	for i := range uintptr(3) {
		s.do(low+8*i, 1, by(2, Read, 2, 50))
	}
	s.ordered = map[Strand]bool{strandOf(2): true}
	for i, want := range []uint32{10 | Mixed, 10 | Mixed, 12} {
		told := s.do(low+uintptr(8*i), 1, by(3, Write, 3, 60))
		if len(told) != 1 || told[0].Context != want {
			t.Errorf("word %d: races %+v, want one in context %d", i, told, want)
		}
	}
}

// A word has one last context, its bytes may have had several accesses: the
// context of a neighbour is not passed off as a byte's own.
func TestNeighboursContext(t *testing.T) {
	for _, c := range []struct {
		name      string
		neighbour Access
		want      map[uint32]bool
	}{
		{"of another strand", by(2, Write, 1, 20), map[uint32]bool{10: true, 10 | Mixed: true}},
		{"of the same strand elsewhere", by(1, Write, 2, 20), map[uint32]bool{10: true, 10 | Mixed: true}},
		{"of the same strand and place", by(1, Write, 1, 20), map[uint32]bool{10: true, 10 | Mixed: true}},
	} {
		s := newScene(t, 0)
		s.do(low, 1, by(1, Write, 1, 10))
		s.do(low+1, 1, c.neighbour)
		told := s.do(low, 1, by(3, Read, 3, 30))
		if len(told) != 1 || !c.want[told[0].Context] {
			t.Errorf("neighbour %s: byte 0 was written in context 10, told %+v", c.name, told)
		}
	}
}

// A transition that a thread remembers is one in whatever context it is in now.
func TestRememberedMoveMixesContexts(t *testing.T) {
	s := newScene(t, 0)
	first := s.Access(low, 1, by(1, Write, 1, 10), s)
	s.moves = map[State]State{0: first.After}
	s.do(low+8, 1, by(1, Write, 1, 11))
	s.moves = nil
	s.ordered[strandOf(1)] = true
	s.do(low+8, 1, by(2, Read, 2, 50))
	s.ordered = map[Strand]bool{strandOf(2): true}
	told := s.do(low+8, 1, by(3, Write, 3, 60))
	if len(told) != 1 || told[0].Context != 10|Mixed {
		t.Errorf("written in context 11, told %+v", told)
	}
}

// A range that changes some bytes of a word and not others has nothing to say of
// the context of those.
func TestRangeKeepsContextOfUnchangedBytes(t *testing.T) {
	s := newScene(t, 0)
	for i := range uintptr(4) {
		s.do(low+8*i, 4, by(1, Write, 1, 10))
		s.do(low+8*i, 4, by(2, Write, 2, 20))
	}
	s.do(low, 32, by(1, Write, 1, 30)) // news only to the upper half of each granule
	for i := range uintptr(4) {
		for _, a := range s.do(low+8*i, 1, by(3, Read, 3, 40)) {
			if a.Strand == strandOf(2) && a.Context&^Mixed != 20 {
				t.Errorf("granule %d: strand 2 wrote it in context 20, told %+v", i, a)
			}
		}
	}
}

// Between the change of a state and that of the context beside it another thread may
// look: what the state itself knows is told then.
func TestContextNotYetStored(t *testing.T) {
	for _, stale := range []uint32{0, 99} {
		s := newScene(t, 0)
		s.do(low, 1, by(1, Write, 1, 10))
		s.Windows[0].split(low, s.Windows[0].Line(low))
		s.Windows[0].Cell(low).contexts[0] = stale
		if told := s.do(low, 1, by(2, Read, 2, 20)); len(told) != 1 || told[0].Context != 10 {
			t.Errorf("written in context 10, %d beside the state: told %+v", stale, told)
		}
	}
}
