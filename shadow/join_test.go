package shadow

import "testing"

// A read joins an audience by the fast path only if its thread knows that it is unordered
// with all readers there, and of each strand in the list behind them how it stands to it.
func TestJoinsWhatIsKnown(t *testing.T) {
	s := newScene(t, 0)
	s.states.audiences.wide = 0
	const main, second, writer, known, late, stranger, me = 1000, 1001, 1, 2, 3, 4, 5
	place := func(n int) uintptr { return low + 64*uintptr(n) }
	order := func(strands ...int) {
		s.ordered = make(map[Strand]bool)
		for _, u := range strands {
			s.ordered[strandOf(u)] = true
		}
	}
	const places = 9
	order(main)
	for n := range places {
		s.do(place(n)+4, 1, by(main, Write, 1, 1)) // which splits the line
		s.do(place(n), 1, by(main, Write, 1, 1))
		if n != 1 && n != 2 {
			s.do(place(n), 1, by(second, Write, 2, 1))
		}
	}
	order(main, second)
	s.do(place(1), 1, by(writer, Read, 3, 1))
	s.do(place(2), 1, by(writer, Write, 3, 1))
	s.do(place(1), 1, by(late, Read, 4, 1)) // unordered with writer
	for n := range 13 {
		s.do(place(3), 1, by(10+n, Read, 4, 1))
	}
	s.do(place(4), 1, by(stranger, Read, 4, 1))
	s.do(place(5), 1, by(stranger, Write, 4, 1))
	order(main, second, writer, stranger)
	for _, n := range []int{0, 2, 3, 5, 6, 7, 8} {
		s.do(place(n), 1, by(known, Read, 4, 1))
	}
	order(main, second)
	s.do(place(0), 1, by(me, Read, 5, 9)) // me comes to know of main and known
	reader := s.Access(place(1), 1, by(me, Read, 5, 9), s).Reader
	s.do(place(8), 1, by(9, Read, 4, 1)) // another strand, which comes to know of known
	if s.join(place(6), me, reader) {
		t.Error("joined by what is known of another strand")
	}
	s.do(place(0), 1, by(me, Read, 5, 9))
	s.do(place(1), 1, by(me, Read, 5, 9))
	s.do(place(7), 1, by(me, Read, 5, 9))
	for _, c := range []struct {
		place int
		what  string
	}{
		{2, "of which a strand that is unordered wrote it"},
		{3, "behind full audiences of strands that are not known"},
		{4, "of a strand that is not known"},
		{5, "that a strand wrote that is not known"},
	} {
		if s.join(place(c.place), me, reader) {
			t.Errorf("joined an audience %s", c.what)
		}
	}
	if !s.join(place(6), me, reader) || !s.join(place(6), me, reader) {
		t.Error("did not join what is known")
	}
	if context := s.Windows[0].Cell(place(6)).contexts[0]; context != 9 {
		t.Errorf("the latest context is %d, want 9", context)
	}
	order(main, second)
	if told := s.do(place(6), 1, by(stranger, Write, 6, 1)); len(told) != 2 {
		t.Errorf("the write races with %d readers of 2", len(told))
	}
}

func (s *scene) join(addr uintptr, strand int, reader uint32) bool {
	return s.Join(&s.Windows[0], &s.ranges, addr, strandOf(strand), reader, 9) != 0
}
