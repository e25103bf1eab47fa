package shadow

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestJournalMutants shows that the tests of journals notice what is easily got wrong.
func TestJournalMutants(t *testing.T) {
	mutants.Run(t, "^Test(TasksThatComeBack|ReadTakesItsPlaceInJournal|JournalsAreLists|ConcurrentJournals|JournalIsKept|ContextsOfJournal|JournalIsClosed|JournalIsLocked|JournalWithoutRoom|JournalsAreCollected)$", []mutants.Mutant{
		{Name: "an access that races does not matter", File: "journal.go",
			Old: "			if relation == unordered || !guarded(e.locks, a, s.order) {", New: "			if false {"},
		{Name: "luck does not matter", File: "journal.go",
			Old: "if relation == unordered || !guarded(e.locks, a, s.order) {", New: "if relation == unordered {"},
		{Name: "what the strand did does not matter", File: "journal.go",
			Old: "if e := t.entry(j, i); e.strand == a.Strand && covers(e.op(), a.Op) {", New: "if t.entry(j, i).strand == 0 {"},
		{Name: "a read makes a write redundant", File: "journal.go",
			Old: "if e := t.entry(j, i); e.strand == a.Strand && covers(e.op(), a.Op) {", New: "if e := t.entry(j, i); e.strand == a.Strand {"},
		{Name: "nothing is replaced", File: "journal.go",
			Old: "			drops |= 1 << i\n		}\n	}\n	switch", New: "		}\n	}\n	switch"},
		{Name: "who has learned something comes back", File: "journal.go",
			Old: "e.strand > a.Strand || e.strand.Index()+1 < a.Learned || ", New: "e.strand > a.Strand || "},
		{Name: "who comes back keeps what its former self kept of its own", File: "journal.go",
			Old: "a.Op != Read && t.leaves(j, i, a)", New: "false"},
		{Name: "who comes back does not see others", File: "journal.go",
			Old: "			return 0\n		case e.strand == a.Strand:\n", New: "		case e.strand == a.Strand:\n"},
		{Name: "what was taken over from a list is taken for told", File: "journal.go",
			Old: "range min(uint32(j.added), renewable)", New: "range min(j.length, renewable)"},
		{Name: "all of a journal was taken for told", File: "journal.go",
			Old: "	j.added += 1 - uint16(bits.OnesCount32(drops&(1<<j.added-1)))\n", New: "	j.added = journalSize\n"},
		{Name: "who comes back has given a lock back", File: "journal.go",
			Old: "e.context == a.Context && e.locks == 0:", New: "e.context == a.Context:"},
		{Name: "what a list would keep is dropped", File: "journal.go",
			Old: "if drops == 0 && all != 0 {", New: "if false {"},
		{Name: "operations that are not ordered are not told", File: "journal.go",
			Old: "		s.tell(j, mixed)\n", New: "		_ = mixed\n"},
		{Name: "who comes back tells of nothing", File: "journal.go",
			Old: "				mixed = j.mixed\n", New: "				mixed = 0\n"},
		{Name: "an atomic operation comes back past others of its task", File: "journal.go",
			Old: "i > 0 && a.Op.Atomic() || ", New: ""},
		{Name: "what is to be told moves", File: "journal.go",
			Old: "moved |= 2 << (i - bits.OnesCount32(drops&(1<<i-1)))", New: "moved |= 2 << i"},
		{Name: "a read takes no place", File: "journal.go",
			Old: "	case renewed != 0:\n", New: "	case renewed == never:\n"},
		{Name: "a read makes one by its own strand superfluous", File: "journal.go",
			Old: "		case e.strand == a.Strand || e.site() == a.Site && covers(a.Op, e.op()):\n			return 0\n", New: ""},
		{Name: "the second part of a journal is not marked", File: "journal.go",
			Old: "		t.journals.At(j.more).mark = t.mark\n", New: "		_ = m\n"},
		{Name: "the last is lost", File: "journal.go",
			Old: "for i := j.length; i > 0; i-- {", New: "for i := j.length - 1; i > 0; i-- {"},
		{Name: "a journal is not closed", File: "journal.go",
			Old: "	j.closed = true\n", New: ""},
		{Name: "no lock is held", File: "journal.go",
			Old: "	j.lock.Lock()\n	role, drops", New: "	role, drops"},
		{Name: "the accesses of a full table are not compared", File: "journal.go",
			Old: "			j.compare(t, a, o)\n", New: ""},
		{Name: "the call path of who changes it is not remembered", File: "journal.go",
			Old: "a.Site<<2 | uint32(a.Op-1), a.Context, a.Locks}", New: "a.Site<<2 | uint32(a.Op-1), 0, a.Locks}"},
		{Name: "journals are not marked", File: "journal.go",
			Old: "	j.mark = t.mark\n", New: ""},
		{Name: "strands are not marked", File: "journal.go",
			Old: "		m.Mark(t.entry(j, i).strand)\n", New: "		_ = i\n"},
		{Name: "a range makes a journal", File: "journal.go",
			Old: "	if !s.single || s.cell == nil || !before", New: "	if s.cell == nil || !before"},
	})
}
