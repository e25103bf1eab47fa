package history

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestMutants shows that the tests notice what could go wrong.
func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestPolicies|TestSegments|TestReaderListStaysShort|TestRaces)$", []mutants.Mutant{
		{Name: "a read is not checked against the writer", File: "readers.go",
			Old: "	if s.writer.Strand != 0 && !p.precedes(h, s.writer.Strand) {\n		h.race(s.writer, Write)\n	}\n	rest :=", New: "	rest :="},
		{Name: "readers are dropped without a query", File: "readers.go",
			Old: "for rest != 0 && p.precedes(h, p.list[rest].Strand) {", New: "for rest != 0 {"},
		{Name: "readers that precede the newest are kept", File: "readers.go",
			Old: "for rest != 0 && p.precedes(h, p.list[rest].Strand) {", New: "for false {"},
		{Name: "a write forgets no reader", File: "readers.go",
			Old: "return p.only(h, listState{writer: h.now})", New: "return p.states.add(listState{writer: h.now, readers: p.cons(h, s.readers)})"},
		{Name: "a write after the strand's own read is taken for a repetition", File: "readers.go",
			Old: "if s.writer.Strand == h.now.Strand && s.readers == 0 {", New: "if s.writer.Strand == h.now.Strand {"},
		{Name: "shared readers are reclaimed", File: "readers.go",
			Old: "if r.held--; r.held > 0 {", New: "if r.held--; r.held > 1<<30 {"},
		{Name: "tidying up drops who does not precede", File: "readers.go",
			Old: "!seen[r.Strand] && !p.precedes(h, r.Strand)", New: "!seen[r.Strand] && p.precedes(h, r.Strand)"},
		{Name: "tidying up keeps repetitions", File: "readers.go", Old: "seen[r.Strand] = true", New: "seen[r.Strand] = false"},
		{Name: "one reader: a later reader replaces a parallel one", File: "readers.go",
			Old: "	if s.reader.Strand != 0 && !p.precedes(h, s.reader.Strand) {\n		return id\n	}\n", New: ""},
		{Name: "one reader: a writer replaces one that it races with", File: "readers.go",
			Old: "	} else {\n		h.race(s.writer, Write)\n	}", New: "	} else {\n		h.race(s.writer, Write)\n		after.writer = h.now\n	}"},
		{Name: "the answer about another strand is reused", File: "readers.go", Old: "if u != a.u || v != a.v {", New: "if v != a.v {"},
		{Name: "the answer is reused after the strand has ended", File: "readers.go", Old: "if u != a.u || v != a.v {", New: "if u != a.u {"},
		{Name: "the leftmost reader in left-to-right order", File: "futures.go",
			Old: "if p.precedes(h, r.hebrew.Strand) || !p.order", New: "if !p.order"},
		{Name: "an ancestor is not replaced as the last reader in English order", File: "futures.go",
			Old: "if p.precedes(h, r.english.Strand) || p.order.English(r.english.Strand, h.now.Strand) {", New: "if !p.precedes(h, r.english.Strand) && p.order.English(r.english.Strand, h.now.Strand) {"},
		{Name: "only one of two readers is checked", File: "futures.go", Old: "if r.hebrew != r.english && ", New: "if false && "},
		{Name: "all futures share their readers", File: "futures.go", Old: "future := p.order.Future(h.now.Strand)", New: "future := uint32(0)"},
		{Name: "readers of other futures are dropped", File: "futures.go", Old: "return append(after, readers[i:]...)", New: "return after"},
		{Name: "a read is compared with the supremum of readers", File: "suprema.go",
			Old: "	if !p.ordered(h, s.writers) {\n		h.race(s.writer, Write)\n	}\n	after := s\n	after.readers", New: "	if !p.ordered(h, s.readers) {\n		h.race(s.reader, Read)\n	}\n	after := s\n	after.readers"},
		{Name: "the supremum is the last task", File: "suprema.go", Old: "	return p.sup.Sup(k, t)\n", New: "	return t\n"},
		{Name: "any writer is named for a supremum", File: "suprema.go",
			Old: "if s.writer.Strand != h.now.Strand && p.ordered(h, s.writer.Strand.Task()) {", New: "if s.writer.Strand != h.now.Strand {"},
		{Name: "another state is taken for one seen in this access", File: "history.go",
			Old: "if state == h.from && h.to != 0 && len(h.races) == 0 {", New: "if h.to != 0 && len(h.races) == 0 {"},
		{Name: "the state of the last access is reused", File: "history.go", Old: "	h.from, h.to, h.written = 0, 0, 0\n", New: "	h.written = 0\n"},
		{Name: "the write of the last access is reused", File: "history.go", Old: "h.from, h.to, h.written = 0, 0, 0", New: "h.from, h.to = 0, 0"},
		{Name: "an alloc forgets nothing", File: "history.go", Old: "	h.policy.release(state)\n	return 0\n", New: "	return state\n"},
		{Name: "an atomic read is not compared with plain writes", File: "atomics.go", Old: "	h.op = as\n	h.segments.update(addr, last, h.look)", New: "	if h.op = as; op == AtomicWrite {\n		h.segments.update(addr, last, h.look)\n	}"},
		{Name: "an atomic write is compared as a read", File: "atomics.go", Old: "as, own = Write,", New: "as, own = Read,"},
		{Name: "atomic writes race with each other", File: "atomics.go", Old: "	h.op = Read\n	own.update", New: "	own.update"},
		{Name: "a plain read races with atomic reads", File: "atomics.go", Old: "	if op == Write {\n		h.looking", New: "	{\n		h.looking"},
		{Name: "a plain read is not compared with atomic writes", File: "atomics.go", Old: "	h.atomics.writes.update(addr, last, h.look)\n	h.looking = 0", New: "	if op == Write {\n		h.atomics.writes.update(addr, last, h.look)\n	}\n	h.looking = 0"},
		{Name: "an alloc forgets no atomic writes", File: "history.go", Old: "		h.atomics.writes.update(addr, last, h.forget)\n", New: ""},
		{Name: "a write that was only compared is the write of another segment", File: "atomics.go", Old: "		h.written = 0 // it may be gone\n", New: ""},
		{Name: "pieces of a race that do not touch are one", File: "history.go", Old: "r.Addr+r.Size == h.lo {", New: "r.Addr+r.Size <= h.lo {"},
		{Name: "pieces of a race that touch are two", File: "history.go", Old: "r.Addr+r.Size == h.lo {", New: "false {"},
		{Name: "a state is reclaimed while it is held", File: "states.go", Old: "if s.held[id]--; s.held[id] == 0 {", New: "if s.held[id]--; s.held[id] <= 1 {"},
		{Name: "a split segment is held once", File: "segments.go", Old: "	s.held.retain(state)\n	if leaf.n < fan {", New: "	if leaf.n < fan {"},
		{Name: "the last address of a leaf is a byte further", File: "segments.go", Old: "return n.keys[i+1] - 1", New: "return n.keys[i+1]"},
		{Name: "equal neighbours stay apart", File: "segments.go", Old: "if kept > 0 && n.vals[kept-1] == state {", New: "if false {"},
		{Name: "the finger outlives its leaf", File: "segments.go", Old: "	s.near = finger{}\n	s.free", New: "	s.free"},
		{Name: "a node that is not one segment is dropped", File: "segments.go", Old: "for ; n.n == 1 && height > 0; height-- {", New: "for ; height > 0; height-- {"},
		{Name: "the right half begins one entry late", File: "segments.go", Old: "if i+1 <= fan/2 {", New: "if i <= fan/2 {"},
	})
}
