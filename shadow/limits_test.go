package shadow

import (
	"testing"

	"github.com/detrace/detrace/reach"
)

// With room for a handful of states an access may be lost, and then the outcome
// says so; whatever is remembered is still checked.
func TestStateTableFull(t *testing.T) {
	s := newScene(t, 3000)
	full := 0
	for i := range 50_000 {
		addr := low + uintptr(8*(i%2000))
		if out := s.Access(addr, 1, by(1+i, Read, uint32(i), 1), s); out.Full {
			full++
			if out.After != out.Before {
				t.Fatalf("access %d is not remembered, yet state %d became %d", i, out.Before, out.After)
			}
		}
	}
	if full == 0 || full == 50_000 {
		t.Fatalf("%d of 50000 accesses found the table full", full)
	}
	if told := s.do(low, 1, by(1_000_000, Write, 1, 1)); len(told) == 0 {
		t.Error("an access was not checked against what is remembered")
	}
	if n := s.states.high; n >= 3000 {
		t.Errorf("%d states, the limit is 3000", n)
	}
}

// Of n concurrent readers few ask about all that came before, and when these precede those that
// come they are forgotten, at the latest when there are 16 times as many.
func TestCompactionInVain(t *testing.T) {
	s := newScene(t, 0)
	o := &asking{scene: s}
	reads := func(from, to int) uint32 {
		var out Outcome
		for i := from; i < to; i++ {
			out = s.Access(low, 1, by(i, Read, 1, 1), o)
		}
		return s.states.lengthOf(out.After)
	}
	const n = 4000
	if length := reads(1, 1+n); length != n || o.asked > n/3 {
		t.Errorf("%d readers of %d are remembered, after %d questions", length, n, o.asked)
	}
	s.serial = true
	if length := reads(1+n, 1+3*n); length > n {
		t.Errorf("%d readers are remembered, of which the last comes after all others", length)
	}
	o.asked = 0
	if length := reads(1+3*n, 1+4*n); length > 2*shortList || o.asked > 6*n {
		t.Errorf("%d readers are remembered that came one after the other, after %d questions", length, o.asked)
	}
	s.serial = false
	if told := s.do(low, 1, by(1+4*n, Write, 2, 1)); len(told) == 0 {
		t.Error("a parallel write races with nobody")
	}
}

// An access that makes a list shorter needs new states for what remains. When
// there are none, nothing that was remembered may get lost unsaid.
func TestFullWhileCompacting(t *testing.T) {
	s := newScene(t, 0)
	s.do(low+8, 1, by(9, Write, 9, 1)) // so that the state of a single write exists
	s.do(low, 1, by(2, Read, 9, 1))    // will be replaced by the write
	s.do(low, 1, by(1, Read, 1, 1))    // stays
	s.ordered[strandOf(2)] = true
	s.states.exhaust()
	out := s.Access(low, 1, by(9, Write, 9, 1), s)
	if told := s.do(low, 1, by(3, Write, 3, 1)); !out.Full && len(told) != 2 {
		t.Errorf("outcome %+v; then the parallel write races with %+v, want strands 1 and 9", out, told)
	}
}

// exhaust uses up all states there are.
func (t *states) exhaust() {
	for i := range t.stripes {
		for own := &t.stripes[i]; own.next < own.end; {
			t.take(own)
		}
	}
	t.high = t.capped - 1
}

// Results that many tasks wrote are read by one: as many states that start with
// one strand as there are tasks.
func TestManyStatesOfOneStrand(t *testing.T) {
	const n = 200_000
	s := newScene(t, 0)
	s.serial = true
	for i := range uintptr(n) {
		s.do(low+8*i, 1, by(int(i)+1, Write, 1, 1))
	}
	for i := range uintptr(n) {
		if out := s.Access(low+8*i, 1, by(n+1, Read, 2, 1), s); out.Full {
			t.Fatalf("no room for state %d of %d, %d in use", i, n, s.States())
		}
	}
}

// However many states there are, the same list is the same state, also after a
// collection.
func TestStatesAreFound(t *testing.T) {
	const n = 300_000
	s := newScene(t, 0)
	push := func(i uint32) State {
		return s.states.push(&Access{Strand: reach.StrandOf(reach.Task(i%7+1), i%1000), Place: i, Op: Write}, 0, 1)
	}
	made := make([]State, n)
	for i := range made {
		made[i] = push(uint32(i))
	}
	for range 2 {
		for i, st := range made {
			if got := push(uint32(i)); got != st {
				t.Fatalf("state %d of %d is %d, was %d", i, n, got, st)
			}
		}
		c := s.Collect(s)
		for _, st := range made {
			c.Keep(st)
		}
		c.Finish()
	}
}

// The states of the strand that runs are found, few or many, and what is found is the list
// that was looked for.
func TestStatesOfARunningStrandAreFound(t *testing.T) {
	t.Run("serial", func(t *testing.T) { testRunningStrand(t, true) })
	t.Run("native", func(t *testing.T) { testRunningStrand(t, false) })
}

func testRunningStrand(t *testing.T, serial bool) {
	s := newScene(t, 0)
	if serial {
		s.Serial()
	}
	for i := range uint32(100 * latest) {
		u, last := reach.StrandOf(reach.Task(i/3+1), i), s.States()
		n, since := 5+i%297, s.Now()
		for round := range 2 {
			for place := range n {
				a := Access{Strand: u, Place: place, Site: 1, Op: Read, Since: since}
				if got := s.states.push(&a, 0, 1); !s.states.is(got, &a, 1<<2, 0) {
					t.Fatalf("strand %d, place %d: found %+v", i, place, s.states.at(got).access())
				}
			}
			if made := s.States() - last; made != uint64(n) {
				t.Fatalf("strand %d, round %d: %d places made %d states", i, round, n, made)
			}
		}
	}
}

// One early parallel reader is remembered however many ordered reads follow.
func TestStrayReader(t *testing.T) {
	s := newScene(t, 0)
	s.do(low, 1, by(1000, Read, 1, 1))
	for i := 1; i <= 64; i++ {
		s.do(low, 1, by(i, Read, uint32(i%3), 1))
		s.ordered[strandOf(i)] = true
	}
	told := s.do(low, 1, by(65, Write, 1, 1))
	if len(told) != 1 || told[0].Strand != strandOf(1000) {
		t.Errorf("the write races with %+v, want strand 1000 alone", told)
	}
}

// All of a hundred thousand concurrent readers are remembered, at a cost in
// proportion to their number.
func TestManyReaders(t *testing.T) {
	const n = 100_000
	s := newScene(t, 0)
	for i := 1; i <= n; i++ {
		s.do(low, 1, by(i, Read, 1, 1))
	}
	if states := s.States(); states > 4*n {
		t.Errorf("%d readers need %d states", n, states)
	}
	if told := s.do(low, 1, by(n+1, Write, 2, 1)); len(told) != n {
		t.Errorf("the write races with %d of %d readers", len(told), n)
	}
}

// mixing is a scene that notes what is told of atomic operations, and counts questions.
type mixing struct {
	*scene
	mixed []Access
	asked int
}

func (m *mixing) Unordered(a Access) { m.mixed = append(m.mixed, a) }
func (m *mixing) Precedes(u Strand) bool {
	m.asked++
	return m.scene.Precedes(u)
}

// Of many atomic operations that are not ordered with another one, that is told the latest of
// each site, and asks about no more.
func TestManyAtomicOperations(t *testing.T) {
	m := &mixing{scene: newScene(t, 0)}
	const n = 50
	for i := 1; i <= n; i++ {
		m.mixed, m.asked = nil, 0
		m.Access(low, 1, by(i, AtomicWrite, uint32(i%3), 1), m)
	}
	if len(m.mixed) != 3 || m.asked != 3 {
		t.Fatalf("%d operations of 3 sites are told, with %d questions", len(m.mixed), m.asked)
	}
	for k, a := range m.mixed {
		if a.Strand != strandOf(n-1-k) {
			t.Errorf("told of strand %d, want %d", a.Strand>>32, n-1-k)
		}
	}
	m.ordered[strandOf(n)] = true
	if m.mixed = nil; m.Access(low, 1, by(n+1, AtomicWrite, 9, 1), m).Full || len(m.mixed) != 3 || m.mixed[2].Strand != strandOf(n-3) {
		t.Errorf("told of %v, want the three before the last", m.mixed)
	}
}

// Readers that take turns at one location for a long time, among them one that
// reaches new strands, need room for the readers, not for the reads.
func TestReadersInTurns(t *testing.T) {
	const readers, rounds = 40, 400
	s := newScene(t, 1<<20)
	longest := uint32(0)
	for round := range rounds {
		for i := 1; i <= readers; i++ {
			out := s.Access(low, 1, by(i, Read, uint32(i), 1), s)
			longest = max(longest, s.states.at(out.After).length)
			if out.Full || longest > 100*readers {
				t.Fatalf("round %d: %d readers are a list of %d, full %v", round, readers, longest, out.Full)
			}
		}
		s.do(low, 1, by(1000+round, Read, 1000, 1))
		s.ordered[strandOf(1000+round)] = true
	}
}

// Memory is in proportion to what is remembered, however much has been.
func TestMemoryWithCollections(t *testing.T) {
	s := newScene(t, 0)
	s.serial = true
	peak := uint64(0)
	for i := 1; i <= 1_000_000; i++ {
		s.do(low+uintptr(i*8%4096+i%3), 1, by(i, Write, uint32(i%2), 1))
		if i%50_000 == 0 {
			s.ranges = RangeMemo{}
			c := s.Collect(s)
			c.Finish()
			peak = max(peak, uint64(s.states.high))
		}
	}
	if peak > 400_000 {
		t.Errorf("%d states were in use at a time", peak)
	}
	s.Forget(low, lowSize)
	s.ranges = RangeMemo{}
	s.Collect(s).Finish()
	if s.States() != 0 || s.Bytes() > 1<<20 {
		t.Errorf("nothing is remembered by %d states and %d bytes", s.States(), s.Bytes())
	}
}
