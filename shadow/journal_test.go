package shadow

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
)

// turns are programs whose strands mostly come one after the other and do the same.
func turns(seed uint64) program {
	r := rand.New(rand.NewPCG(seed, 5))
	s := shape{strands: 6 + r.IntN(20), accesses: 200, density: []float64{0.3, 0.8, 1}[seed%3], sites: 2 + r.IntN(4), contexts: 1 + r.IntN(3), spread: 1 + r.IntN(4), plain: seed%3 != 0, ranges: seed%4 == 0, disturbed: seed%2 == 0}
	return randomProgram(r, s)
}

// A history in which every byte may have a journal remembers the same accesses as one with
// lists alone, in the same order, and finds the same races.
func TestJournalsAreLists(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		p := turns(seed)
		for _, fast := range []bool{false, true} {
			fails := func(p program) error {
				n, err := compareJournals(p, fast)
				found += n
				return err
			}
			if fails(p) != nil {
				p, err := shrink(p, fails)
				t.Fatalf("seed %d, fast %v: %v\n%v", seed, fast, err, p)
			}
		}
	}
	if found < 2_500 {
		t.Errorf("%d bytes were found with a journal", found)
	}
}

func compareJournals(p program, fast bool) (found int, err error) {
	eager, lists := newRun(p, fast), newRun(p, fast)
	defer eager.history.close()
	defer lists.history.close()
	eager.history.states.journals.news, lists.history.states.journals.news = 0, never
	for _, e := range p.events {
		if e.kind != access {
			for _, r := range []*run{eager, lists} {
				if err := r.step(e); err != nil {
					return found, err
				}
			}
			continue
		}
		for _, r := range []*run{eager, lists} {
			r.access(e)
			r.oracle.access(e)
		}
		if one, two := set(exact(eager.told)), set(exact(lists.told)); !reflect.DeepEqual(one, two) {
			return found, fmt.Errorf("%v: races with %v, by lists %v", e, one, two)
		}
		if one, two := exact(eager.outcome), exact(lists.outcome); !reflect.DeepEqual(one, two) {
			return found, fmt.Errorf("%v: not ordered with %v, by lists %v", e, one, two)
		}
		for b := e.addr; b < e.addr+e.size; b++ {
			if w := eager.history.Window(b); w != nil {
				if _, _, s := eager.history.look(w, b); s.isJournal() {
					found++
				}
			}
			one, two := exact(eager.remembered(b)), exact(lists.remembered(b))
			if !reflect.DeepEqual(one, two) {
				return found, fmt.Errorf("%v: remembered of %#x: %v, by lists %v", e, b, one, two)
			}
		}
	}
	return found, nil
}

// diary makes low a byte with a journal, of n strands that wrote at a place each after others
// did.
func diary(t *testing.T, n uint32) *scene {
	s := newScene(t, 0)
	s.states.journals.news = 0
	s.do(low+4, 1, by(999, Write, 1, 1)) // so that the line is split
	s.serial = true
	for round := range 3 {
		for site := range n {
			s.write(low, 100*round+100, site, 1+site)
		}
	}
	s.serial = false
	if _, _, state := s.look(s.Window(low), low); !state.isJournal() {
		t.Fatalf("state %#x is no journal", state)
	}
	return s
}

// write writes at the place of one site by the strand that is the next one for it.
func (s *scene) write(addr uintptr, first int, site, context uint32) []Access {
	return s.do(addr, 1, by(first+int(site), Write, 10+site, context))
}

// Who writes by turns keeps one journal, without a state for each write.
func TestJournalIsKept(t *testing.T) {
	s := diary(t, 3)
	_, _, before := s.look(s.Window(low), low)
	states := s.states.used()
	s.serial = true
	for strand := range 1000 {
		for site := range uint32(3) {
			s.write(low, 2000+100*strand, site, 1)
		}
	}
	if _, _, after := s.look(s.Window(low), low); after != before || s.states.used() != states {
		t.Errorf("journal %#x became %#x, %d states %d", before, after, states, s.states.used())
	}
}

// A journal has the call path of each of its accesses, in its own cell and in a block, and
// so has the list that it becomes.
func TestContextsOfJournal(t *testing.T) {
	for _, inBlock := range []bool{false, true} {
		s := diary(t, 3)
		s.serial = true
		if inBlock {
			s.do(low+1, 1, by(1000, Write, 4, 1))
			s.do(low+2, 1, by(1000, Write, 5, 1))
		}
		for site := range uint32(3) {
			s.write(low, 2000, site, 50+site)
		}
		s.serial = false
		told := s.do(low, 1, by(3000, Write, 1, 1))
		if len(told) != 3 {
			t.Fatalf("in a block %v: races with %v", inBlock, told)
		}
		for i, a := range told {
			if want := 52 - uint32(i); a.Context != want {
				t.Errorf("in a block %v: access %d in context %d, told %#x", inBlock, i, want, a.Context)
			}
		}
	}
}

// meddler is a scene in which something happens while an access is told its first race.
type meddler struct {
	*scene
	meddle func()
}

func (m *meddler) Race(a Access) {
	meddle := m.meddle
	if m.meddle = nil; meddle != nil {
		meddle()
	}
	m.scene.Race(a)
}

// What another thread does to a byte while its journal becomes a list is not lost.
func TestJournalIsClosed(t *testing.T) {
	s := diary(t, 3)
	m := &meddler{scene: s, meddle: func() {
		s.serial = true
		s.write(low, 2000, 0, 1)
		s.serial = false
	}}
	s.Access(low, 1, by(3000, Write, 1, 1), m)
	strands := map[Strand]bool{}
	for _, a := range s.remembered(low) {
		strands[a.Strand] = true
	}
	if !strands[strandOf(2000)] || !strands[strandOf(3000)] {
		t.Errorf("remembered is %v", s.remembered(low))
	}
}

// pausing is a scene in which something happens while an access looks at what is remembered.
type pausing struct {
	*scene
	pause func()
}

func (p *pausing) Precedes(u Strand) bool {
	pause := p.pause
	if p.pause = nil; pause != nil {
		pause()
	}
	return p.scene.Precedes(u)
}

// Two threads at one journal wait for each other: neither takes out what the other has moved. That
// is so for an access that asks little, and for one that asks about all, as one under a lock does.
func TestJournalIsLocked(t *testing.T) {
	for locks, want := range [][]Strand{{5000, 2000, 302, 301}, {5000, 2000, 302, 301, 300}} {
		s := diary(t, 3)
		s.serial = true
		done := make(chan bool)
		p := &pausing{scene: s, pause: func() {
			go func() {
				(&thread{History: &s.History, now: strandOf(5000)}).do(low, Write, 20)
				close(done)
			}()
			select {
			case <-done: // it should have waited
			case <-time.After(500 * time.Millisecond):
			}
		}}
		a := by(2000, Write, 10, 1)
		a.Locks = uint32(locks)
		s.Access(low, 1, a, p)
		<-done
		var strands []Strand
		for _, a := range s.remembered(low) {
			strands = append(strands, a.Strand>>32)
		}
		if !slices.Equal(strands, want) {
			t.Errorf("locks %d: remembered are %v, want %v", locks, strands, want)
		}
	}
}

// When there is no room for the list of a journal, an access is checked all the same and the
// outcome says that it is not remembered.
func TestJournalWithoutRoom(t *testing.T) {
	s := diary(t, 4)
	s.states.exhaust()
	for i := range 3 {
		s.told = nil
		out := s.Access(low, 1, by(2000+i, Write, 4, 4), s)
		if !out.Full || out.After != out.Before || len(s.told) != 4 {
			t.Errorf("outcome %+v, races with %d accesses of 4", out, len(s.told))
		}
	}
}

// What a collection does not reach is used again, and what it does is left alone.
func TestJournalsAreCollected(t *testing.T) {
	s := diary(t, 3)
	_, _, kept := s.look(s.Window(low), low)
	s.serial = true
	for range 10 {
		for i := uintptr(8); i < 800; i += 8 {
			s.do(low+i+4, 1, by(998, Write, 1, 1))
			for strand := range 3 {
				for site := range uint32(2) {
					s.write(low+i, 2000+100*strand, site, 1)
				}
			}
		}
		s.Forget(low+8, 800)
		s.ranges = RangeMemo{}
		s.Collect(s).Finish()
	}
	if n := s.states.journals.own; n.used != 1 || n.high > 110 {
		t.Errorf("%d journals are in use, of %d", n.used, n.high)
	}
	if _, _, state := s.look(s.Window(low), low); state != kept || len(s.remembered(low)) != 3 {
		t.Errorf("journal %#x is %#x with %v", kept, state, s.remembered(low))
	}
}

// Each thread keeps journals, of all of which the others write once: of each of the other
// writers and each of its last strands the one that comes second hears of the first.
func TestConcurrentJournals(t *testing.T) {
	const threads, rounds = 4, 40
	h := new(History)
	h.Init(low, lowSize, high, highSize, 0)
	h.Eager()
	defer h.close()
	all := make([]*pairing, threads)
	for n := range all {
		all[n] = &pairing{thread: thread{History: h, number: n}}
	}
	places := len(all[0].races)
	first := &thread{History: h, now: 1}
	for i := range places {
		first.do(low+uintptr(8*i+4), Write, 8)
	}
	var wg sync.WaitGroup
	for n, c := range all {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(uint64(n), 7))
			for round := range rounds {
				c.now = Strand(n+2)<<48 | Strand(round+1)
				for i := n; i < places; i += threads {
					addr := low + uintptr(8*i)
					for site := range uint32(3) {
						c.addr = addr
						c.Access(addr, 1, Access{Strand: c.now, Place: site + 1, Context: 1, Site: site + 1, Op: Read + Op(site&1)}, c)
					}
				}
				for range places / 10 {
					c.do(low+uintptr(8*r.IntN(places)), Write)
				}
			}
			c.now = Strand(n+2)<<48 | Strand(rounds+1)
			for i := range places {
				c.do(low+uintptr(8*i), Write)
			}
		}()
	}
	wg.Wait()
	for i := range places {
		pairs := make(map[[2]Strand]bool)
		for _, c := range all {
			for p := range c.races[i] {
				pairs[[2]Strand{p[0] >> 48, p[1] >> 48}] = true
			}
		}
		if want := threads * (threads - 1) / 2; len(pairs) != want {
			t.Fatalf("place %d: %d pairs of threads are told, want %d", i, len(pairs), want)
		}
	}
}
