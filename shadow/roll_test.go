package shadow

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// tables are programs of which the first strand fills a table, from one or two places, and others,
// some of them in order, read elements of it at random. Few write, or access it as a whole.
func tables(seed uint64) program {
	r := rand.New(rand.NewPCG(seed, 31))
	step := uintptr(1) << r.IntN(4)
	base, size := low+chunk-128-uintptr(r.IntN(2))*rollElements, uintptr(256) // across stretches
	s := shape{strands: 3 + r.IntN(20), sites: 3, contexts: 1 + r.IntN(3), spread: int(size)}
	density := [...]float64{0, 0, 0.02, 0.2}[seed%4]
	p := program{preds: make([][]int, s.strands+1)}
	left := make([][]event, s.strands+1)
	for u := 2; u <= s.strands; u++ {
		if r.IntN(20) != 0 {
			p.preds[u] = []int{1}
		}
		for v := 2; v < u; v++ {
			if r.Float64() < density {
				p.preds[u] = append(p.preds[u], v)
			}
		}
	}
	var fill []event
	for at, by, site := uintptr(0), step, uint32(1); at < size; at += by {
		if at%lineBytes == 0 && r.IntN(3) == 0 {
			by, site = 1<<r.IntN(4), 1+uint32(r.IntN(4))/3
		}
		fill = append(fill, event{strand: 1, op: Write, addr: base + at, size: 1, site: site, context: 1})
	}
	for range 200 {
		u := 2 + r.IntN(s.strands-1)
		e := randomAccess(r, s, u, base)
		if r.IntN(15) != 0 {
			e.addr &^= step - 1
		}
		if r.IntN(40) != 0 {
			e.op = Read
		}
		if r.IntN(40) == 0 {
			e.op, e.size = Op(1+r.IntN(2)), uintptr(1+r.IntN(80))
		}
		left[u] = append(left[u], e)
	}
	p.events = append(fill, deliver(r, p.preds, left)...)
	if seed%3 == 0 {
		p.disturb(r, []uintptr{base, base + 64})
	}
	return p
}

// Of tables that are read at random every race is found, and nothing else; what leaves a roll
// remembers all readers of each byte, and nobody else.
func TestRollsAgainstAllPairs(t *testing.T) {
	found, quickly, left := 0, 0, 0
	for seed := range uint64(400) {
		p := tables(seed)
		for _, m := range []mode{{}, {fast: true}, {wide: true}, {wide: true, fast: true}} {
			fails := func(p program) error {
				f, q, l, err := runTable(p, m)
				found, quickly, left = found+f, quickly+q, left+l
				return err
			}
			if fails(p) != nil {
				p, err := shrink(p, fails)
				t.Fatalf("seed %d, %+v: %v\n%v", seed, m, err, p)
			}
		}
	}
	if found < 10_000 || quickly < 1000 || left < 1000 {
		t.Errorf("%d reads found a roll, %d of them by the fast path; %d accesses made a line leave one", found, quickly, left)
	}
}

func runTable(p program, m mode) (found, quickly, left int, err error) {
	r := newRun(p, m.fast)
	defer r.history.close()
	if m.wide {
		r.history.Eager()
	}
	r.history.states.rolls.scatter = 0
	for _, e := range p.events {
		before, w := false, r.history.Window(e.addr)
		if e.kind == access && w != nil {
			before = w.Line(e.addr).isRolled()
		}
		if err := r.step(e); err != nil {
			return 0, 0, 0, err
		}
		if before {
			found++
			if !w.Line(e.addr).isRolled() {
				left++
			}
		}
	}
	for b := range r.bytes {
		if err := r.check(b); err != nil {
			return 0, 0, 0, fmt.Errorf("in the end, byte %#x: %w", b, err)
		}
	}
	return found, r.joined, left, nil
}

// table is a scene in which strand 1000 filled n elements, 8 bytes apart, which strands that read
// do not race with.
func table(t *testing.T, n uintptr) *scene {
	s := newScene(t, 0)
	s.states.rolls.scatter = 0
	s.AccessBox(Box{low, [BoxDims]Dim{{int(n), 8}, {1, 0}, {1, 0}}}, by(1000, Write, 1, 7), s)
	s.ordered[strandOf(1000)] = true
	return s
}

// rolled is how many of the first n lines of a table are in a roll.
func (s *scene) rolled(n uintptr) (all int) {
	for i := range n {
		if s.Window(low).Line(low + i*lineBytes).isRolled() {
			all++
		}
	}
	return all
}

// A roll with more readers than have sheets loses lines, and a line that leaves one does not lose
// readers, however many there are, also by a collection.
func TestRollIsFull(t *testing.T) {
	for _, n := range []int{1, 12, 13, 14, 51, 52, 53, 100, mostSheets, mostSheets + 1, mostSheets + 20} {
		s := table(t, 64)
		for i := 1; i <= n; i++ {
			for k := range uintptr(4) {
				s.do(low+(8*uintptr(i)*k+8*k)%512, 1, by(2000+i, Read, 3, uint32(2000+i)))
			}
			if i%50 == 0 {
				s.ranges = RangeMemo{}
				s.Collect(s).Finish()
			}
		}
		if rolled := s.rolled(8); n <= mostSheets && rolled == 0 || n > mostSheets+10 && rolled == 8 {
			t.Errorf("%d readers: %d of 8 lines are in rolls", n, rolled)
		}
		told := s.do(low, 1, by(1999, Write, 4, 4))
		if len(told) != n {
			t.Errorf("the write races with %d readers of %d", len(told), n)
		}
		for _, a := range told {
			if a.Context != uint32(a.Strand>>32) {
				t.Errorf("%d readers: that by %d is in context %#x", n, a.Strand>>32, a.Context)
			}
		}
	}
}

// Stretches of memory have rolls of their own.
func TestStretches(t *testing.T) {
	s := newScene(t, 0)
	s.states.rolls.scatter = 0
	s.do(low, chunk, by(1000, Write, 1, 7))
	s.ordered[strandOf(1000)] = true
	for i := 1; i <= 3; i++ {
		s.do(low+3, 1, by(i, Read, 3, 3))
		s.do(low+rollElements+5, 1, by(i, Read, 3, 3))
	}
	if s.rolled(chunk/lineBytes) != 2 {
		t.Fatalf("%d lines are in rolls", s.rolled(chunk/lineBytes))
	}
	s.do(low+1, 1, by(1000, AtomicRead, 1, 7))
	s.do(low+rollElements+1, 1, by(1000, AtomicRead, 1, 7))
	for at, want := range map[uintptr]int{3: 4, 5: 1, rollElements + 3: 1, rollElements + 5: 4} {
		if n := len(s.remembered(low + at)); n != want {
			t.Errorf("byte %d remembers %d accesses, want %d", at, n, want)
		}
	}
}

// Readers that share a place keep their contexts, also that of the access in front, and a strand that
// reads again after a collection, when it is another reader, is told once.
func TestContextOfRolled(t *testing.T) {
	for _, n := range []int{1, 2, 5, 20} {
		s := table(t, 64)
		for range 2 {
			for i := 1; i <= n; i++ {
				for k := range uint32(3) {
					s.do(low+8*uintptr(k), 1, by(i, Read, 3, 10*uint32(i)+k))
				}
			}
			s.ranges = RangeMemo{}
			s.Collect(s).Finish()
		}
		for k := range uint32(3) {
			told := s.do(low+8*uintptr(k), 1, by(2000, Write, 4, 4))
			if len(told) != n {
				t.Errorf("element %d: the write races with %d readers of %d", k, len(told), n)
			}
			for _, a := range told {
				if want := 10*uint32(a.Strand>>32) + k; a.Context != want && a.Context&Mixed == 0 {
					t.Errorf("element %d of %d readers: in context %d, told %d", k, n, want, a.Context)
				}
			}
		}
	}
}

// Where all readers have read all of a line, it stays in one piece.
func TestUnrollsToRun(t *testing.T) {
	s := table(t, 8)
	for i := 1; i <= 3; i++ {
		for k := range uintptr(8) {
			s.do(low+8*k, 1, by(i, Read, 3, 3))
		}
	}
	if s.rolled(1) != 1 {
		t.Fatal("the line is in no roll")
	}
	for i := 1; i <= 3; i++ {
		s.ordered[strandOf(i)] = true
	}
	s.AccessBox(Box{low, [BoxDims]Dim{{8, 8}, {1, 0}, {1, 0}}}, by(4, Write, 4, 4), s)
	if l := s.Window(low).Line(low); len(s.told) != 0 || l.IsSplit() {
		t.Errorf("the write races with %v, the line is %#x", s.told, l)
	}
}

// Where ordered strands read the same, rolls do not grow.
func TestOrderedReadersHaveNoRoll(t *testing.T) {
	s := table(t, 64)
	for i := 1; i <= 40; i++ {
		for k := range uintptr(64) {
			s.do(low+8*k, 1, by(i, Read, 3, 3))
		}
		s.ordered[strandOf(i)] = true
	}
	for k := range uintptr(64) {
		if n := len(s.remembered(low + 8*k)); n > 3 {
			t.Errorf("element %d remembers %d accesses", k, n)
		}
	}
}

// A line that a strand reads over and over leaves its roll.
func TestHotLinesHaveNoRoll(t *testing.T) {
	s := table(t, 64)
	s.do(low, 1, by(1, Read, 3, 3))
	if s.rolled(1) != 1 {
		t.Fatal("the line is in no roll")
	}
	for range mostAgain + 1 {
		s.do(low, 1, by(1, Read, 3, 3))
	}
	if s.rolled(1) != 0 || len(s.do(low, 1, by(2, Write, 4, 4))) != 1 {
		t.Error("the line is in a roll, or its reader is lost")
	}
}

// What is forgotten is not in the memory's next roll; other lines of the roll stay as they are.
func TestForgetRolled(t *testing.T) {
	for _, part := range []struct{ at, size uintptr }{{0, 64}, {0, 8}, {8, 4}, {0, 512}, {0, chunk}, {0, bigRange}, {64, 64}} {
		s := table(t, bigRange/8)
		for k := range uintptr(64) {
			s.do(low+8*k, 1, by(1, Read, 3, 3))
		}
		if s.rolled(8) != 8 {
			t.Fatalf("%d lines of 8 are in rolls", s.rolled(8))
		}
		s.Forget(low+part.at, part.size)
		for again := range 2 {
			for k := range uintptr(64) {
				want := 2
				if 8*k-part.at < part.size {
					want = again
				}
				if n := len(s.remembered(low + 8*k)); n != want {
					t.Errorf("%+v forgotten, %d: element %d remembers %d accesses, want %d", part, again, k, n, want)
				}
			}
			s.AccessBox(Box{low + part.at, [BoxDims]Dim{{max(int(part.size)/8, 1), 8}, {1, 0}, {1, 0}}}, by(1000, Write, 1, 7), s)
		}
		for k := range uintptr(64) {
			s.do(low+8*k, 1, by(2, Read, 3, 3))
		}
		for k := range uintptr(64) {
			want := 3
			if 8*k-part.at < part.size {
				want = 2
			}
			if n := len(s.remembered(low + 8*k)); n != want {
				t.Errorf("%+v forgotten and read: element %d remembers %d accesses, want %d", part, k, n, want)
			}
		}
	}
}

// When there is no room for what a roll becomes, the outcome says that not all is remembered.
func TestUnrollWithoutRoom(t *testing.T) {
	s := table(t, 64)
	s.do(low, 1, by(1, Read, 3, 3))
	s.do(low, 1, by(2, Read, 3, 3))
	if s.rolled(1) != 1 {
		t.Fatal("the line is in no roll")
	}
	s.states.exhaust()
	s.Forget(low+8, 8)
	if out := s.Access(low+16, 1, by(1000, Write, 1, 7), s); !out.Full {
		t.Errorf("outcome %+v", out)
	}
}

// Who saw a line in its roll before it left that does not join it any more, nor split it.
func TestStaleRolls(t *testing.T) {
	s := table(t, 64)
	a := by(1, Read, 3, 3)
	reader := s.Access(low, 1, a, s).Reader
	w := s.Window(low)
	l := w.Line(low)
	if reader == 0 || !l.isRolled() || w.TrySplit(low, l) || !s.JoinRoll(l, low+8, reader) || s.JoinRoll(l, low+8, reader+1) {
		t.Fatalf("line %#x, reader %d", l, reader)
	}
	s.ordered[strandOf(1)] = true
	s.do(low+32, 1, by(2, Write, 4, 4))
	st := step{history: &s.History, window: w, access: &a, order: s, one: true, olds: noStates}
	if s.JoinRoll(l, low+16, reader) || st.inLine(low, l, 1<<24) {
		t.Error("joined a line that had left")
	}
	for k, want := range []int{2, 2, 1, 1} {
		if n := len(s.remembered(low + 8*uintptr(k))); n != want {
			t.Errorf("element %d remembers %d accesses, want %d", k, n, want)
		}
	}
}

// Rolls and sheets are free after a collection when nothing leads to them.
func TestRollsAreSwept(t *testing.T) {
	s := table(t, 1024)
	for i := 1; i <= 5; i++ {
		for k := range uintptr(1024) {
			s.do(low+8*k, 1, by(i, Read, 3, 3))
		}
	}
	p := &s.states.rolls
	if p.own.used != 2 || p.all.used != 10 {
		t.Fatalf("%d rolls with %d sheets", p.own.used, p.all.used)
	}
	s.do(low, chunk, by(2000, Write, 4, 4))
	for range 2 {
		s.ranges = RangeMemo{}
		s.Collect(s).Finish()
		if p.own.used != 1 || p.all.used != 5 {
			t.Errorf("%d rolls with %d sheets after the collection", p.own.used, p.all.used)
		}
	}
	s.do(low+chunk, 1, by(6, Read, 3, 3))
	if len(s.do(low+chunk, 1, by(2000, Write, 4, 4))) != 6 {
		t.Error("readers are lost")
	}
	s.do(low, 8*1024, by(2000, Write, 5, 5))
	s.ranges = RangeMemo{}
	s.Collect(s).Finish() // what comes now has the numbers of what was
	s.Forget(low, bigRange)
	s.AccessBox(Box{low, [BoxDims]Dim{{64, 8}, {1, 0}, {1, 0}}}, by(1000, Write, 1, 7), s)
	s.do(low, 1, by(7, Read, 3, 3))
	if s.rolled(1) != 1 || len(s.do(low, 1, by(2000, Write, 4, 4))) != 1 {
		t.Error("a reader is lost")
	}
}

// Sheets are found in all levels of the slots.
func TestSheetSlots(t *testing.T) {
	var p sheetSlots
	p.Init(startOf(slotLevels))
	defer p.Close()
	for round := range 2 {
		for reader := range uint32(40) {
			for roll := range uint32(600) {
				if p.find(roll, reader) != 0 {
					t.Fatalf("round %d: reader %d has a sheet in roll %d", round, reader, roll)
				}
				if !p.insert(roll, reader, reader*1000+roll+1) {
					t.Fatalf("round %d: no room for reader %d, roll %d", round, reader, roll)
				}
			}
		}
		for reader := range uint32(40) {
			for roll := range uint32(600) {
				if got := p.find(roll, reader); got != reader*1000+roll+1 {
					t.Fatalf("round %d: reader %d, roll %d: %d", round, reader, roll, got)
				}
			}
		}
		if p.level == 0 {
			t.Error("there is one level")
		}
		p.clear()
	}
}

// Who reads elements side by side or in steps, also of several arrays by turns, does not scatter reads.
func TestScatters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, at := range map[string]func(i int) uintptr{
		"in order":   func(i int) uintptr { return low + 8*uintptr(i) },
		"backwards":  func(i int) uintptr { return low + lowSize - 8*uintptr(i) },
		"two arrays": func(i int) uintptr { return low + uintptr(i%2)<<20 + 8*uintptr(i/2) },
		"columns":    func(i int) uintptr { return low + 4096*uintptr(i%64) + 8*uintptr(i/64) },
		"row, column": func(i int) uintptr {
			if i%2 == 0 {
				return low + 1<<20 + 8*uintptr(i/2)
			}
			return low + 4096*uintptr(i/2%64) + 8*uintptr(i/128)
		},
		"at random": func(i int) uintptr { return low + 8*uintptr(r.IntN(1<<17)) },
	} {
		var m attendance
		scatters := false
		for i := range 2000 {
			scatters = m.about(5).scatters(at(i), scatterReads) || scatters
		}
		if want := name == "at random"; scatters != want {
			t.Errorf("%s: %v", name, scatters)
		}
	}
}

// reading is a thread that comes after the strand 1 and knows the pairs of strands of which it
// was told a race, by element.
type reading struct {
	pairing
	reader uint32
}

func (c *reading) Precedes(u Strand) bool { return u == 1 || u == c.now }

func (c *reading) do(addr uintptr, op Op) {
	c.addr = addr
	w := c.Window(addr)
	if l := w.Line(addr); op == Read && c.reader != 0 && l.isRolled() && c.JoinRoll(l, addr, c.reader) {
		return
	}
	out := c.Access(addr, 1, Access{Strand: c.now, Place: 1, Context: 1, Site: 1, Op: op}, c)
	if op == Read {
		c.reader = out.Reader
	}
}

// Readers set bits while writes close lines: of each reader and the writer, the one that comes
// second hears of the first.
func TestConcurrentRolls(t *testing.T) {
	const threads, strands, rounds = 3, 4, 5
	for round := range uint64(rounds) {
		h := new(History)
		h.Init(low, lowSize, high, highSize, 0)
		h.states.rolls.scatter = 0
		all := make([]*reading, threads+1)
		for n := range all {
			all[n] = &reading{pairing: pairing{thread: thread{History: h, number: n}}}
		}
		elements := len(all[0].races)
		first := &thread{History: h, now: 1}
		first.Access(low, uintptr(8*elements), Access{Strand: 1, Place: 1, Context: 1, Site: 1, Op: Write}, first)
		var wg sync.WaitGroup
		for n, c := range all {
			wg.Add(1)
			go func() {
				defer wg.Done()
				r := rand.New(rand.NewPCG(round, uint64(n)))
				for k := range strands {
					op := Read
					if n == threads {
						if op = Write; k > 0 {
							continue
						}
					}
					c.now, c.reader = Strand(strands*n+k+2)<<32|1, 0
					for _, i := range r.Perm(elements) {
						c.do(low+uintptr(8*i), op)
					}
				}
			}()
		}
		wg.Wait()
		for i := range elements {
			pairs := 0
			for _, c := range all {
				pairs += len(c.races[i])
			}
			if want := strands * threads; pairs != want {
				t.Fatalf("element %d: %d pairs with the write are told, want %d", i, pairs, want)
			}
		}
		h.close()
	}
}
