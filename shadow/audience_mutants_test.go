package shadow

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestAudienceMutants shows that the tests of audiences notice what is easily got wrong.
func TestAudienceMutants(t *testing.T) {
	mutants.Run(t, "^Test(AudiencesAreLists|ConcurrentAudience|AudienceIsFull|ContextOfWhoJoins|JoinsWhatIsKnown)$", []mutants.Mutant{
		{Name: "an ordered reader does not matter", File: "audience.go",
			Old: "if s.order.Precedes(u) {", New: "if false {"},
		{Name: "a write that races does not matter", File: "audience.go",
			Old: "before != r.op().Writes() || ", New: "before && !r.op().Writes() || "},
		{Name: "an ordered read in the list does not matter", File: "audience.go",
			Old: "before != r.op().Writes() || ", New: "!before && r.op().Writes() || "},
		{Name: "a list has nothing of the strand itself", File: "audience.go",
			Old: "if s.history.states.repeatsInLong(list, s.access, s.order) {", New: "if false {"},
		{Name: "of audiences behind one another the last is looked at", File: "audience.go",
			Old: "switch s.beside(t.audience(rest).readers[i], m) {", New: "switch role(i | 64) {"},
		{Name: "an audience is not closed", File: "audience.go",
			Old: "	behind[0].close()\n", New: ""},
		{Name: "of the readers the last is lost", File: "audience.go",
			Old: "if r == closed {\n				break", New: "if r == closed || i == len(behind[n].readers)-1 {\n				break"},
		{Name: "the fast path does not look at the list", File: "join.go",
			Old: "if !h.states.behind(rest, r) {", New: "if false {"},
		{Name: "the fast path does not look at those before", File: "join.go",
			Old: "		case !r.joins(id):\n			return 0\n", New: ""},
		{Name: "the fast path does not look at full audiences", File: "join.go",
			Old: "if !r.joins(h.states.audience(rest).readers[i]) {", New: "if i < 0 {"},
		{Name: "the fast path takes what is known of another strand", File: "join.go",
			Old: "r.known != u || ", New: ""},
		{Name: "the fast path takes a write before for one beside", File: "join.go",
			Old: "if *m.order(r.strand) != asked(r) {", New: "if *m.order(r.strand)&^ahead != r.strand {"},
		{Name: "the fast path does not remember the context", File: "join.go",
			Old: "1<<(addr&7), context)", New: "1<<(addr&7), 0)"},
		{Name: "readers are not marked", File: "audience.go",
			Old: "			r.mark = t.mark\n", New: ""},
		{Name: "the context of who joins is not remembered", File: "history.go",
			Old: "		if s.joined {\n			c.remember(", New: "		if false {\n			c.remember("},
	})
}
