package shadow

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
)

// readers are programs of which many strands read the same bytes, some of them in order,
// and few write.
func readers(seed uint64) program {
	r := rand.New(rand.NewPCG(seed, 3))
	s := shape{strands: 10 + r.IntN(70), accesses: 150, density: [3]float64{0, 0.01, 0.1}[seed%3], sites: 3, contexts: 1 + r.IntN(3), spread: 9, ranges: seed%4 == 0, disturbed: seed%2 == 0}
	p := randomProgram(r, s)
	for i := range p.events {
		if e := &p.events[i]; e.kind == access && r.IntN(20) != 0 {
			e.op = Read
		}
	}
	return p
}

// A history in which every byte may have an audience remembers the same accesses as one with
// lists alone, in the same order, and finds the same races.
func TestAudiencesAreLists(t *testing.T) {
	joined, quickly := 0, 0
	for seed := range uint64(240) {
		p := readers(seed)
		for _, fast := range []bool{false, true} {
			fails := func(p program) error {
				n, m, err := compareAudiences(p, fast)
				joined, quickly = joined+n, quickly+m
				return err
			}
			if fails(p) != nil {
				p, err := shrink(p, fails)
				t.Fatalf("seed %d, fast %v: %v\n%v", seed, fast, err, p)
			}
		}
	}
	if joined < 1000 || quickly < 100 {
		t.Errorf("%d bytes were found with an audience, %d reads joined one by the fast path", joined, quickly)
	}
}

func compareAudiences(p program, fast bool) (joined, quickly int, err error) {
	wide, lists := newRun(p, fast), newRun(p, fast)
	defer wide.history.close()
	defer lists.history.close()
	wide.history.states.audiences.wide, lists.history.states.audiences.wide = 0, noReads
	wide.history.states.rolls.scatter, lists.history.states.rolls.scatter = noScatter, noScatter
	for _, e := range p.events {
		if e.kind != access {
			for _, r := range []*run{wide, lists} {
				if err := r.step(e); err != nil {
					return joined, wide.joined, err
				}
			}
			continue
		}
		for _, r := range []*run{wide, lists} {
			r.access(e)
			r.oracle.access(e)
		}
		if one, two := set(exact(wide.told)), set(exact(lists.told)); !reflect.DeepEqual(one, two) {
			return joined, wide.joined, fmt.Errorf("%v: races with %v, by lists %v", e, one, two)
		}
		for b := e.addr; b < e.addr+e.size; b++ {
			if w := wide.history.Window(b); w != nil {
				if _, _, s := wide.history.look(w, b); s.isAudience() {
					joined++
				}
			}
			one, two := exact(wide.remembered(b)), exact(lists.remembered(b))
			if !reflect.DeepEqual(one, two) {
				return joined, wide.joined, fmt.Errorf("%v: remembered of %#x: %v, by lists %v", e, b, one, two)
			}
		}
	}
	return joined, wide.joined, nil
}

// exact is a list without guards and contexts: what other bytes share a list decides which of them
// are mixed. The test against all accesses looks at them.
func exact(list []Access) []Access {
	all := make([]Access, len(list))
	for i, a := range list {
		a.Context, a.Guard = 0, 0
		all[i] = a
	}
	return all
}

// Where many bytes are read at random, each has an audience and not a list for each reader;
// where they are read in order, they share lists, which a thread remembers.
func TestAudienceOfManyBytes(t *testing.T) {
	const bytes, strands = 2000, 12
	for _, random := range []bool{false, true} {
		p := program{preds: make([][]int, strands+2)}
		for n := range strands {
			p.preds[n+2] = []int{1}
		}
		s := newRun(p, true)
		defer s.history.close()
		r := rand.New(rand.NewPCG(1, 2))
		for i := range uintptr(bytes) {
			s.access(event{strand: 1, op: Write, addr: low + 8*i, size: 1, site: 1})
			s.access(event{strand: 1 + int(i)%2, op: Read, addr: low + 8*i + 4, size: 1, site: 2}) // splits lines
		}
		for n := 2; n <= strands+1; n++ {
			for i := range uintptr(bytes) {
				if random {
					i = uintptr(r.IntN(bytes))
				}
				s.access(event{strand: n, op: Read, addr: low + 8*i, size: 1, site: 3})
			}
		}
		states, audiences := s.history.States(), s.history.states.audiences.own.used
		if random && (states > 3*bytes || audiences < bytes/3) || !random && (states > 10*strands || audiences > 0) {
			t.Errorf("random %v: %d bytes have %d states, %d of them audiences", random, bytes, states, audiences)
		}
	}
}

// An audience with more readers than it has room for goes on in another, and becomes a list
// when those are full too; no reader is lost, also by a collection.
func TestAudienceIsFull(t *testing.T) {
	for _, n := range []int{1, 12, 13, 14, 26, 27, 52, 53, 54, 60, 200} {
		s := newScene(t, 0)
		s.states.audiences.wide = 0
		s.do(low+4, 1, by(1000, Write, 1, 1)) // so that the line is split
		s.do(low, 1, by(1000, Write, 2, 2))
		s.ordered[strandOf(1000)] = true
		for i := 1; i <= n; i++ {
			s.do(low, 1, by(i, Read, 3, 3))
			if i%10 == 0 {
				s.ranges = RangeMemo{}
				s.Collect(s).Finish()
			}
		}
		if told := s.do(low, 1, by(2000, Write, 4, 4)); len(told) != n {
			t.Errorf("the write races with %d readers of %d", len(told), n)
		}
	}
}

// Readers keep their contexts, though they read elsewhere by another call path; who joined
// last has it in the list too that others share then.
func TestContextOfWhoJoins(t *testing.T) {
	for _, inBlock := range []bool{false, true} {
		s := newScene(t, 0)
		s.states.audiences.wide = 0
		s.ordered[strandOf(1000)] = true
		for word := range uintptr(2) {
			at := low + 8*word
			s.do(at+4, 1, by(1000, Write, 1, 1))
			s.do(at, 1, by(1000, Write, 2, 2))
			if inBlock {
				s.do(at+1, 1, by(1000, Write, 4, 1))
				s.do(at+2, 1, by(1000, Write, 5, 1))
			}
			for i := uint32(1); i <= 6; i++ {
				s.do(at, 1, by(int(i), Read, 3, 10*i+uint32(word)))
			}
		}
		one, two := s.do(low, 1, by(2000, Write, 6, 4)), s.do(low+8, 1, by(2000, Write, 6, 4))
		for i, a := range one[:5] { // the latest first; what the first made is a list
			if want := 10 * uint32(6-i); a.Context != want {
				t.Errorf("in a block %v: reader %d in context %d, told %#x", inBlock, 6-i, want, a.Context)
			}
		}
		if last := two[0].Context; last != 61 && !(inBlock && last&Mixed != 0) {
			t.Errorf("in a block %v: the last reader in context 61, told %#x", inBlock, last)
		}
	}
}

// When there is no room for the list of an audience, an access is checked all the same and
// the outcome says that it is not remembered.
func TestAudienceWithoutRoom(t *testing.T) {
	s := newScene(t, 0)
	s.states.audiences.wide = 0
	s.do(low+4, 1, by(1000, Write, 1, 1))
	s.do(low, 1, by(1000, Write, 2, 2))
	s.ordered[strandOf(1000)] = true
	for i := 1; i <= 20; i++ {
		s.do(low, 1, by(i, Read, 3, 3))
	}
	s.states.exhaust()
	for i := range 3 {
		s.told = nil
		out := s.Access(low, 1, by(2000+i, Write, 4, 4), s)
		if !out.Full || out.After != out.Before || len(s.told) != 20 {
			t.Errorf("outcome %+v, races with %d readers of 20", out, len(s.told))
		}
	}
}

// pairing is a thread that knows the pairs of strands of which it was told a race, by place.
type pairing struct {
	thread
	races [2000]map[[2]Strand]bool
}

func (c *pairing) Race(a Access) {
	pairs := &c.races[(c.addr-low)/8]
	if *pairs == nil {
		*pairs = make(map[[2]Strand]bool)
	}
	(*pairs)[[2]Strand{min(a.Strand, c.now), max(a.Strand, c.now)}] = true
}

func (c *pairing) do(addr uintptr, op Op) {
	c.addr = addr
	c.Access(addr, 1, Access{Strand: c.now, Place: 1, Context: 1, Site: 1, Op: op}, c)
}

// Readers join an audience while a write closes it: of each reader and the writer, the one
// that comes second hears of the first.
func TestConcurrentAudience(t *testing.T) {
	const threads, strands = 4, 6
	h := new(History)
	h.Init(low, lowSize, high, highSize, 0)
	h.states.audiences.wide = 0
	defer h.close()
	all := make([]*pairing, threads+1)
	for n := range all {
		all[n] = &pairing{thread: thread{History: h, number: n}}
	}
	for i := range all[0].races {
		first := &thread{History: h, now: 1}
		first.do(low+uintptr(8*i+4), Write, 8)
		first.do(low+uintptr(8*i), Read, 8)
	}
	var wg sync.WaitGroup
	for n, c := range all {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range c.races {
				for k := range strands {
					op := Read
					if n == threads {
						if op = Write; k > 0 {
							continue
						}
					}
					c.now = Strand(strands*n+k+2)<<48 | 1
					c.do(low+uintptr(8*i), op)
				}
			}
		}()
	}
	wg.Wait()
	for i := range all[0].races {
		pairs := 0
		for _, c := range all {
			pairs += len(c.races[i])
		}
		if want := strands*threads + 1; pairs != want {
			t.Fatalf("place %d: %d pairs with the write are told, want %d", i, pairs, want)
		}
	}
}
