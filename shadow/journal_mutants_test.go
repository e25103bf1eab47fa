package shadow

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestJournalMutants shows that the tests of journals notice what is easily got wrong.
func TestJournalMutants(t *testing.T) {
	mutants.Run(t, "^Test(JournalsAreLists|ConcurrentJournals|JournalIsKept|ContextsOfJournal|JournalIsClosed|JournalIsLocked|JournalWithoutRoom|JournalsAreCollected)$", []mutants.Mutant{
		{Name: "an access that races does not matter", File: "journal.go",
			Old: "			if conflicts(e.op(), a.Op) {\n				return differs, 0\n			}\n", New: ""},
		{Name: "what the strand did does not matter", File: "journal.go",
			Old: "if covers(e.op(), a.Op) {\n				return repeats, 0", New: "if false {\n				return repeats, 0"},
		{Name: "a read makes a write redundant", File: "journal.go",
			Old: "if covers(e.op(), a.Op) {\n				return repeats, 0", New: "if true {\n				return repeats, 0"},
		{Name: "nothing is replaced", File: "journal.go",
			Old: "drops |= 1 << i\n				left--", New: ""},
		{Name: "a read replaces a write", File: "journal.go",
			Old: "if e.siteOp>>2 == a.Site && covers(a.Op, e.op()) {", New: "if e.siteOp>>2 == a.Site {"},
		{Name: "another site is replaced", File: "journal.go",
			Old: "if e.siteOp>>2 == a.Site && covers(a.Op, e.op()) {", New: "if covers(a.Op, e.op()) {"},
		{Name: "the last is lost", File: "journal.go",
			Old: "for i := j.length; i > 0; i-- {", New: "for i := j.length - 1; i > 0; i-- {"},
		{Name: "a journal is not closed", File: "journal.go",
			Old: "	j.closed = true\n", New: ""},
		{Name: "no lock is held", File: "journal.go",
			Old: "	j.lock.Lock()\n	role, drops", New: "	role, drops"},
		{Name: "the accesses of a full table are not compared", File: "journal.go",
			Old: "			j.compare(t, a, o)\n", New: ""},
		{Name: "the call path of who changes it is not remembered", File: "journal.go",
			Old: "a.Site<<2 | uint32(a.Op-1), a.Context}, uint32(0)", New: "a.Site<<2 | uint32(a.Op-1), 0}, uint32(0)"},
		{Name: "journals are not marked", File: "journal.go",
			Old: "	j.mark = t.mark\n", New: ""},
		{Name: "strands are not marked", File: "journal.go",
			Old: "		m.Mark(j.entries[i].strand)\n", New: "		_ = i\n"},
		{Name: "an atomic access is like any other", File: "journal.go",
			Old: "s.access.Op.Atomic() || s.access.Locks", New: "s.access.Locks"},
		{Name: "a range makes a journal", File: "journal.go",
			Old: "	if !s.single || s.cell == nil || !before", New: "	if s.cell == nil || !before"},
	})
}
