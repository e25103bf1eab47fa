package shadow

import (
	"sync"
	"testing"
)

// thread is one of several that use a history at the same time; its strands are
// parallel to those of all others.
type thread struct {
	ranges RangeMemo
	*History
	number int
	now    Strand
	since  uint32
	told   map[uintptr]map[Strand]bool // by address
	addr   uintptr
}

func (t *thread) Precedes(u Strand) bool               { return u>>48 == t.now>>48 && u <= t.now }
func (t *thread) Race(a Access)                        { t.add(t.addr, a.Strand) }
func (t *thread) Unordered(Access)                     {}
func (t *thread) Certain(Strand) bool                  { return true }
func (t *thread) Luck(Access)                          {}
func (t *thread) Excludes(uint32) bool                 { return false }
func (t *thread) Shared(uint32, uint32) (uint32, bool) { return 0, false }
func (t *thread) Crowded()                             {}
func (t *thread) Move(State) State                     { return 0 }
func (t *thread) Ranges() *RangeMemo                   { return &t.ranges }

func (t *thread) Outlasted(Strand) bool { return false }

func (t *thread) At(addr uintptr) {}

func (t *thread) Moved(before, after State) {}

// Access is the history's, for accesses that have no address.
func (t *thread) Access(addr, size uintptr, a Access, o Order) Outcome {
	return t.History.Access(addr, size, &a, o)
}

func (t *thread) add(addr uintptr, u Strand) {
	if t.told == nil {
		t.told = make(map[uintptr]map[Strand]bool)
	}
	if t.told[addr] == nil {
		t.told[addr] = make(map[Strand]bool)
	}
	t.told[addr][u] = true
}

func (t *thread) do(addr uintptr, op Op, site uint32) Access {
	t.addr = addr
	a := Access{Strand: t.now, Place: site, Context: 1, Site: site, Op: op, Since: t.since}
	t.Access(addr, 1, a, t)
	return a
}

// The check and the update of a byte are one step: of any two conflicting accesses
// by two threads, the one that comes second hears of the first, whoever that is,
// and however many threads change the rest of the granule meanwhile.
func TestConcurrentPairs(t *testing.T) {
	t.Run("far slots", func(t *testing.T) { testConcurrentPairs(t, false) })
	t.Run("near slots", func(t *testing.T) { testConcurrentPairs(t, true) })
}

func testConcurrentPairs(t *testing.T, near bool) {
	const threads, rounds = 4, 64 * latest
	h := new(History)
	h.Init(low, lowSize, high, highSize, 0)
	defer h.close()
	all := make([]*thread, threads)
	var wg sync.WaitGroup
	for n := range all {
		th := &thread{History: h, number: n}
		th.ranges.thread = uint32(n%2 + 1) // two share the slots of a thread
		all[n] = th
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range uintptr(rounds) {
				th.now = Strand(th.number+1)<<48 | Strand(i+1)
				if near {
					th.since = h.Now()
				}
				for b := range uintptr(8) {
					// Half of the bytes are written by all, the rest by one each.
					if b%2 == 0 || int(b/2) == th.number {
						th.do(low+8*i+b, Write, uint32(n))
					}
				}
			}
		}()
	}
	wg.Wait()
	for i := range uintptr(rounds) {
		for b := range uintptr(8) {
			pairs := 0
			for _, th := range all {
				pairs += len(th.told[low+8*i+b])
			}
			want := 0
			if b%2 == 0 {
				want = threads * (threads - 1) / 2
			}
			if pairs != want {
				t.Fatalf("byte %d of granule %d: %d pairs are told, want %d", b, i, pairs, want)
			}
		}
	}
}

// Threads that read, and take the fast path, are all remembered for the write
// that follows.
func TestConcurrentReaders(t *testing.T) {
	const threads, places = 4, 500
	h := new(History)
	h.Init(low, lowSize, high, highSize, 0)
	defer h.close()
	var wg sync.WaitGroup
	for n := range threads {
		th := &thread{History: h, number: n, now: Strand(n+1) << 48}
		wg.Add(1)
		go func() {
			defer wg.Done()
			moves := make(map[State]State)
			for i := range uintptr(places) {
				th.readFast(low+8*i+i%2, moves)
			}
			th.Forget(high+uintptr(n)*0x800, 0x800)
		}()
	}
	wg.Wait()
	writer := &thread{History: h, now: Strand(100) << 48}
	for i := range uintptr(places) {
		addr := low + 8*i + i%2
		if writer.do(addr, Write, 9); len(writer.told[addr]) != threads {
			t.Fatalf("place %d: the write races with %d readers of %d", i, len(writer.told[addr]), threads)
		}
	}
}

func (t *thread) readFast(addr uintptr, moves map[State]State) {
	w := t.Window(addr)
	c, v, before := t.look(w, addr)
	if before != 0 && t.Knows(before, t.now, Read) {
		return
	}
	if after := moves[before]; after != 0 && c != nil && t.TryMove(c, v, addr, &Move{before, after, 0}, 1) {
		return
	} else if after != 0 && c == nil {
		t.Reached(&Move{before, after, 0}, 1)
		if l := w.Line(addr); l.IsRun() && l.At(addr) == before && w.MoveInLine(l, addr, after, 1) {
			return
		}
	}
	t.addr = addr
	out := t.Access(addr, 1, Access{Strand: t.now, Place: 1, Context: 1, Site: 1, Op: Read}, t)
	moves[out.Before] = out.After
}
