package shadow

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// randomParts is up to two parts of which the bytes are often first ones of units.
func randomParts(r *rand.Rand) (q parts) {
	bytes, second := r.Uint64(), r.Uint64()
	if r.IntN(8) != 0 {
		bytes &= steps[pairUnit-1] << (4 * r.IntN(16))
	}
	for _, b := range []uint64{bytes & second, bytes &^ second} {
		q.add(b, State(1+r.IntN(3)), uint32(r.IntN(3)))
	}
	return q
}

// A line says what it was made of, by a pair only if that may be, and has one word for it.
func TestLineIsItsParts(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	var h History
	h.Init(low, lowSize, high, highSize, 0)
	defer h.close()
	paired := 0
	for range 100_000 {
		q := randomParts(r)
		was := q
		l, ok := h.pairs.line(&q, true)
		_, alone := newLine(was.all[0].bytes, was.all[0].state, was.all[0].context)
		if alone = alone && was.n < 2; ok != (alone || was.bytes()&^steps[pairUnit-1] == 0) || ok && l.isPair() == alone || ok && l.IsRun() != alone {
			t.Fatalf("%x: %x, %v", was, l, ok)
		}
		if !ok {
			continue
		}
		back := h.pairs.parts(l)
		if back.n == 2 && back.all[0] != was.all[0] {
			back.all[0], back.all[1] = back.all[1], back.all[0]
		}
		if back != was {
			t.Fatalf("%x became %x", was, back)
		}
		if l.isPair() {
			paired++
			if back.n == 2 {
				back.all[0], back.all[1] = back.all[1], back.all[0]
			}
			other, _ := h.pairs.line(&back, true)
			if alone, ok := h.pairs.line(&back, false); ok || other != l {
				t.Fatalf("%x: the words %x and %x; without a pair %x", was, l, other, alone)
			}
		}
	}
	if paired < 10_000 || h.pairs.high > 100 {
		t.Errorf("%d lines had pairs, of %d", paired, h.pairs.high)
	}
}

// A line with a pair that is split has cells which say the same; forgotten in parts it
// still says the rest.
func TestPairsAreCells(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	s := newScene(t, 0)
	w := &s.Windows[0]
	split := 0
	for range 20_000 {
		q := randomParts(r)
		l, ok := s.pairs.line(&q, true)
		if !ok {
			continue
		}
		*w.line(low) = uint64(l)
		w.touch(low)
		at, size := uintptr(r.IntN(64)), uintptr(r.IntN(64))
		size = min(size, 64-at)
		first := r.IntN(2) == 0
		if first {
			w.split(low, l)
			split++
		}
		s.Forget(low+at, size)
		if !first && r.IntN(2) == 0 && !w.Line(low).IsSplit() {
			w.split(low, w.Line(low))
		}
		for b := range uintptr(lineBytes) {
			want, context := State(0), uint32(0)
			for _, p := range q.all {
				if p.bytes>>b&1 != 0 && (b < at || b >= at+size) {
					want, context = p.state, p.context
				}
			}
			c, _, got := s.look(w, low+b)
			if got != want {
				t.Fatalf("%x without %d bytes from %d: byte %d has state %d, want %d", q, size, at, b, got, want)
			}
			if c != nil && want != 0 && q.bytes()&^steps[pairUnit-1] == 0 && c.contexts[b/4%2] != context {
				t.Fatalf("%x: byte %d has context %d, want %d", q, b, c.contexts[b/4%2], context)
			}
		}
		s.Forget(low, lineBytes)
	}
	if split < 5000 {
		t.Errorf("%d lines were split", split)
	}
}

// A table of pairs that is full has none for what is new, and has again after a collection,
// which keeps the pairs of lines, and their states.
func TestPairsFull(t *testing.T) {
	s := newScene(t, 0)
	w := &s.Windows[0]
	kept := s.Access(low, 1, by(1, Write, 1, 10), s).After
	q := parts{[2]part{{0x11, kept, 1}, {0x100, kept, 2}}, 2}
	l, _ := s.pairs.line(&q, true)
	*w.line(low) = uint64(l)
	for round := range 4 {
		context := uint32(3)
		for ; ; context++ {
			other := parts{[2]part{{0x11, kept, 1}, {0x100, kept, context}}, 2}
			m, ok := s.pairs.line(&other, true)
			if !ok {
				break
			}
			if m == l {
				t.Fatal("two pairs have one number")
			}
		}
		if context < maxPairs/2 || context > maxPairs+3 {
			t.Fatalf("round %d: the table is full with %d pairs", round, context)
		}
		s.Collect(s).Finish()
		if s.states.used() != 1 {
			t.Errorf("%d states are in use, want 1", s.states.used())
		}
		if again, ok := s.pairs.line(&q, true); !ok || again != l || s.pairs.parts(l) != q {
			t.Errorf("a pair in use is not found any more")
		}
	}
}

// Threads that look for the same pairs find the same ones.
func TestConcurrentIntern(t *testing.T) {
	const threads, contexts = 4, 2000
	s := newScene(t, 0)
	var ids [threads][contexts]uint32
	var wg sync.WaitGroup
	for n := range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range uint32(contexts) {
				ids[n][i] = s.pairs.intern(pair{[2]State{1, 2}, [2]uint32{i, 5}})
			}
		}()
	}
	wg.Wait()
	seen := map[uint32]bool{}
	for i, id := range ids[0] {
		if seen[id] || *s.pairs.records.At(id) != (pair{[2]State{1, 2}, [2]uint32{uint32(i), 5}}) {
			t.Fatalf("pair %d has the number %d", i, id)
		}
		seen[id] = true
		for n := range ids {
			if ids[n][i] != id {
				t.Fatalf("pair %d has two numbers", i)
			}
		}
	}
}

// TestPairMutants shows that the tests of pairs notice what is easily got wrong.
func TestPairMutants(t *testing.T) {
	mutants.Run(t, "^Test(LineIsItsParts|HalfOfAPair|PairsAreCells|PairsFull|ConcurrentIntern|LinesAreCells)$", []mutants.Mutant{
		{Name: "bytes between units are lost", File: "pair.go",
			Old: "(p[0].bytes|p[1].bytes)&^steps[pairUnit-1] != 0", New: "p[0].bytes&^steps[pairUnit-1] != 0"},
		{Name: "contexts are no part of a pair", File: "pair.go",
			Old: "p.state == s && p.context == context", New: "p.state == s"},
		{Name: "a third state takes the place of the second", File: "pair.go",
			Old: "	if q.n == len(q.all) {\n		return false", New: "	if q.n == len(q.all) {\n		return true"},
		{Name: "a pair has two words", File: "pair.go",
			Old: "if q.n == 2 && (p[0].state", New: "if q.n == 3 && (p[0].state"},
		{Name: "pairs in use are swept", File: "collect.go",
			Old: "		*mark = c.history.states.mark\n", New: ""},
		{Name: "states of pairs are swept", File: "collect.go",
			Old: "range t.records.At(id).states {\n			c.Keep(s)", New: "range t.records.At(id).states {\n			_ = s"},
		{Name: "what was swept is still found", File: "pair.go",
			Old: "	t.slots.Discard(0, pairSlots)\n", New: ""},
		{Name: "pairs in use are not found after a collection", File: "pair.go",
			Old: "				*slot = id\n", New: ""},
		{Name: "bytes that stay as they are get lost", File: "line.go",
			Old: "ok = after.add(q.bytes&^old, q.state, q.context) && after", New: "ok = after"},
		{Name: "the second state of a pair is not looked at", File: "line.go",
			Old: "old := bytes & q.bytes\n", New: "old := bytes & before.all[0].bytes & q.bytes\n"},
		{Name: "the cells of a pair have the first part alone", File: "group.go",
			Old: "range q.all[:q.n] {\n			g.fill", New: "range q.all[:1] {\n			g.fill"},
		{Name: "which bytes of a pair have which state is forgotten", File: "pair.go",
			Old: "	if e.swapped {\n", New: "	if false {\n"},
		{Name: "some bytes of a pair stand for all", File: "pair.go",
			Old: "spreadLine(uint64(first|second), pairUnit) != bytes || ", New: ""},
		{Name: "an access to more bytes than a pair has is one to those", File: "pair.go",
			Old: "e.bytes != bytes || e.set != first|second || ", New: "e.bytes != bytes || "},
		{Name: "forgotten bytes are remembered", File: "pair.go",
			Old: "rest.add(p.bytes&^bytes,", New: "rest.add(p.bytes,"},
	})
}
